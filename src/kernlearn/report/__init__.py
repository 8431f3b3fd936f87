"""One HTML file on a learned model and its quality, and scores on new rows."""

from kernlearn.report.evaluation import evaluate
from kernlearn.report.write import report_html, write_report

__all__ = ["evaluate", "report_html", "write_report"]
