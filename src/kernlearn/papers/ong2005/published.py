"""The numbers printed in Ong, Smola and Williamson (2005), Tables 3 to 5 and Figure 4.

Each is a pair: the number, and what is printed behind ±; None where nothing is printed.
"""

from __future__ import annotations

Printed = tuple[float | None, float | None]

NONE: Printed = (None, None)

# Errors in per cent. The last column is the exponent of the C printed in brackets.
TABLE_3_COLUMNS = ("C-SVM", "ν-SVM", "Lag-SVM", "best other", "tuned SVM", "its log₁₀ C")
TABLE_3: dict[str, tuple[Printed, Printed, Printed, Printed, Printed, Printed]] = {
    "syndata": ((2.8, 2.4), (1.9, 1.9), (2.4, 2.2), NONE, (5.9, 5.4), (8, None)),
    "pima": ((23.5, 2.0), (27.7, 2.1), (23.6, 1.9), (23.5, None), (24.1, 2.1), (4, None)),
    "ionosph": ((6.6, 1.8), (6.7, 1.8), (6.4, 1.9), (5.8, None), (6.1, 1.8), (3, None)),
    "wdbc": ((3.3, 1.2), (3.8, 1.2), (3.0, 1.1), (3.2, None), (5.2, 1.4), (6, None)),
    "heart": ((19.7, 3.3), (19.3, 2.4), (20.1, 2.8), (16.0, None), (23.2, 3.7), (4, None)),
    "thyroid": ((7.2, 3.2), (10.1, 4.0), (6.2, 3.1), (4.4, None), (5.2, 2.2), (5, None)),
    "sonar": ((14.8, 3.7), (15.3, 3.7), (14.7, 3.6), (15.4, None), (15.3, 4.1), (3, None)),
    "credit": ((14.6, 1.8), (13.7, 1.5), (14.7, 1.8), (22.8, None), (15.3, 2.0), (8, None)),
    "glass": ((6.0, 2.4), (8.9, 2.6), (6.0, 2.2), NONE, (7.2, 2.7), (3, None)),
}

# Errors in per cent.
TABLE_4_COLUMNS = ("λ_h: error", "λ_h: deviation", "λ_Q: error", "λ_Q: deviation")
TABLE_4: dict[str, tuple[Printed, Printed, Printed, Printed]] = {
    "syndata": ((3.0, 1.1), (2.2, None), (2.8, 0.0), (2.2, None)),
    "pima": ((25.7, 2.6), (1.9, None), (24.5, 0.1), (1.5, None)),
    "ionosph": ((6.6, 1.0), (1.7, None), (7.2, 0.1), (1.9, None)),
    "wdbc": ((2.9, 0.4), (0.9, None), (2.7, 0.2), (0.8, None)),
    "heart": ((19.7, 2.0), (3.0, None), (19.4, 0.9), (2.8, None)),
    "thyroid": ((6.5, 2.8), (3.0, None), (6.7, 0.3), (3.7, None)),
    "sonar": ((15.7, 1.6), (3.4, None), (15.1, 0.2), (3.3, None)),
    "credit": ((16.0, 1.8), (1.6, None), (14.7, 0.4), (1.6, None)),
    "glass": ((5.9, 1.0), (2.3, None), (5.2, 0.3), (2.3, None)),
}

FIGURE_4_SLOPES = {"C-SVM": 3.13, "ν-SVM": 3.05, "Lag-SVM": 3.03}

# Mean squared errors, in the units that the row's name gives.
TABLE_5_COLUMNS = ("ν-SVR", "best other", "tuned ε-SVR")
TABLE_5: dict[str, tuple[Printed, Printed, Printed]] = {
    "auto-mpg": ((7.83, 0.96), (7.11, None), (9.47, 1.55)),
    "boston": ((12.96, 3.38), (9.60, None), (15.78, 4.30)),
    "auto imports (×10⁶)": ((5.91, 2.41), (0.25, None), (7.51, 5.33)),
    "cpu (×10³)": ((4.41, 3.64), (3.16, None), (12.02, 20.73)),
    "servo": ((0.74, 0.26), (0.25, None), (0.62, 0.25)),
}
