"""Files of models of tables: every part is checked before it is believed."""

from __future__ import annotations

import pytest

import saddleback as sb
from saddleback import storage
from saddleback.storage import json_array
from saddleback.workflow.table_model_reading import load_table_model

from .tables import people_csv


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    path = people_csv(folder / "people.csv", 200)
    model = sb.fit_table(path, target="approved", groups="sex", worst_weight=0.5, evidence=False)
    model.save(folder / "m.safetensors")
    return model, storage.load(folder / "m.safetensors")


def forged(stored, tmp_path, texts=(), arrays=()):
    """The file with some parts replaced; None removes a part."""
    new_texts = {name: text for name, text in {**stored.texts, **dict(texts)}.items() if text is not None}
    new_arrays = {name: array for name, array in {**stored.arrays, **dict(arrays)}.items() if array is not None}
    storage.save(tmp_path / "forged.safetensors", "model", new_texts, new_arrays)
    return tmp_path / "forged.safetensors"


def parts(model):
    encoding, facts = model.encoding.to_dict(), dict(model.facts)
    fewer = {**encoding, "columns": encoding["columns"][:2]}
    others = {**encoding, "target": {**encoding["target"], "classes": ["a", "b"], "positive": "b"}}
    return {
        "no encoding": {"table.encoding": None},
        "no facts": {"table.facts": None},
        "no evidence": {"table.evidence": None},
        "encoding of another width": {"table.encoding": json_array(fewer)},
        "other classes": {"table.encoding": json_array(others)},
        "encoding that is a list": {"table.encoding": json_array([])},
        "evidence that is none": {"table.evidence": json_array({"format": "x"})},
        "unknown facts": {"table.facts": json_array({**facts, "more": 1})},
        "rows that are text": {"table.facts": json_array({**facts, "rows": "many"})},
        "rows that are true": {"table.facts": json_array({**facts, "rows": True})},
    }


def test_forged_parts_are_refused_in_one_line(stored, tmp_path):
    model, file = stored
    for what, arrays in parts(model).items():
        path = forged(file, tmp_path, arrays=arrays)
        for read in (load_table_model, sb.load):
            with pytest.raises(sb.ProblemError) as caught:
                read(path)
            assert "forged.safetensors cannot be loaded: " in str(caught.value), what
            assert len(str(caught.value).splitlines()) == 1
            assert len(str(caught.value)) < 1000, what


def test_a_newer_version_is_refused_by_name(stored, tmp_path):
    path = forged(stored[1], tmp_path, texts={"table.version": "2"})
    with pytest.raises(sb.ProblemError, match="its table is of version '2'; this program reads version 1"):
        sb.load(path)


def test_the_whole_file_is_read(stored, tmp_path):
    loaded = sb.load(forged(stored[1], tmp_path))
    assert loaded.encoding == stored[0].encoding
