"""The report: one HTML file that says what was learned, how well it does, and how to repeat it."""

from kernlearn.report.write import report_html, write_report

__all__ = ["report_html", "write_report"]
