"""The citation names this version and the paper."""

from __future__ import annotations

import yaml

import saddleback

from .contents import ROOT


def test_citation():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (cited["cff-version"], cited["type"], cited["license"]) == ("1.2.0", "software", "BSD-3-Clause")
    assert cited["version"] == saddleback.__version__
    (paper,) = cited["references"]
    names = [author["family-names"] for author in paper["authors"]]
    assert names == ["Lezane", "Langer", "Koolen"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert paper["title"] in readme
    assert all(name in readme for name in names)
