"""The certificate in words, and its numbers."""

from __future__ import annotations

from ..blocks import Fact, Facts, Section, Words
from ..formatting import code_for
from .source import Source, number


def certificate_section(source: Source) -> Section:
    certificate = source.evidence["certificate"]
    keys = {
        "value": "Value of the objective",
        "lower_bound": "No model can be below",
        "gap": "Gap between the two",
        "largest_loss": "Largest training loss of a group, with the penalty",
        "largest_loss_bound": "No model's largest loss is below",
    }
    facts = [Fact("Certified", Words("yes" if certificate["certified"] else "no"))]
    for key, term in keys.items():
        code = "e1" if key == "gap" else code_for([certificate[key]])
        facts.append(Fact(term, number(certificate, "/certificate", key, code)))
    facts.append(Fact("The bound holds", source.words(certificate["region"])))
    words = tuple(source.paragraph(sentence) for sentence in certificate["words"])
    return Section("certificate", "The certificate", (*words, Facts(tuple(facts))))
