"""What the wheel and the source distribution hold: python tests/release/contents.py dist (a part of make dist).

The wheel holds the package with everything it reads while it runs, and nothing else. The source distribution holds the
files that git tracks, so that tests and documentation can be run from it, and the wheel that is built from the working
tree is the wheel that is built from it.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from email.message import Message
from email.parser import Parser
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "saddleback"
VERSION_FILE = PACKAGE / "_version.py"

# In bytes. The largest files are pictures and measured tables of the documentation, below 100 kB; a data set or a
# generated page that slips in is larger.
LARGEST_FILE = 1_000_000
# In bytes, compressed. The wheel has some 600 kB and the source distribution 2 MB.
LARGEST_WHEEL, LARGEST_SDIST = 2_000_000, 6_000_000
# What is not in the working tree: the metadata that the build writes.
WRITTEN_BY_THE_BUILD = {"PKG-INFO"}
# What a source distribution is for.
NEEDED_IN_SDIST = (
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "SECURITY.md",
    "pyproject.toml",
    "docs/architecture.md",
    "examples/held_out.py",
    "src/saddleback/py.typed",
    "tests/conftest.py",
)
NEEDED_CLASSIFIERS = (
    "Programming Language :: Python :: 3.11",
    "Programming Language :: Python :: 3.12",
    "Programming Language :: Python :: 3.13",
    "Typing :: Typed",
)


def version() -> str:
    """The version of the working tree, without importing it."""
    names: dict[str, str] = {}
    exec(VERSION_FILE.read_text(encoding="utf-8"), names)
    return names["__version__"]


def read_wheel(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def read_sdist(path: Path) -> dict[str, bytes]:
    """The files by their names below the folder that all of them are in."""
    found = {}
    with tarfile.open(path) as archive:
        for member in archive.getmembers():
            opened = archive.extractfile(member)
            if opened is not None:
                found["/".join(PurePosixPath(member.name).parts[1:])] = opened.read()
    return found


def too_large(files: Mapping[str, bytes]) -> list[str]:
    large = [(name, len(content)) for name, content in files.items() if len(content) > LARGEST_FILE]
    return [f"{name} has {size} bytes; {LARGEST_FILE} are allowed" for name, size in large]


def wheel_complaints(files: Mapping[str, bytes], package: Iterable[str], version: str) -> list[str]:
    """What is wrong with a wheel, given the names of the package's files, as in "saddleback/solve.py"."""
    info, package = f"saddleback-{version}.dist-info", set(package)
    expected = package | {f"{info}/{name}" for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt")}
    expected.add(f"{info}/licenses/LICENSE")
    found = [f"the wheel lacks {name}" for name in sorted(expected - set(files))]
    found += [f"the wheel has {name}, which is no part of the package" for name in sorted(set(files) - expected)]
    if "saddleback/py.typed" not in package:
        found.append("the package has no py.typed: type checkers would ignore its types")
    return found + too_large(files)


def sdist_complaints(files: Mapping[str, bytes], tracked: Iterable[str]) -> list[str]:
    """What is wrong with a source distribution, given the files that git tracks; none where there is no git."""
    found = [f"the source distribution lacks {name}" for name in NEEDED_IN_SDIST if name not in files]
    if tracked := set(tracked):
        names = set(files) - WRITTEN_BY_THE_BUILD
        found += [f"the source distribution lacks {name}, which git tracks" for name in sorted(tracked - names)]
        found += [f"the source distribution has {name}, which git does not track" for name in sorted(names - tracked)]
    return found + too_large(files)


def metadata_complaints(metadata: Message, version: str) -> list[str]:
    """What is wrong with the metadata that an index shows."""
    expected = {
        "Name": "saddleback",
        "Version": version,
        "License-Expression": "BSD-3-Clause",
        "License-File": "LICENSE",
        "Requires-Python": ">=3.11",
        "Description-Content-Type": "text/markdown",
    }
    found = [f"{key} is {metadata[key]!r}, not {text!r}" for key, text in expected.items() if metadata[key] != text]
    found += [f"{key} is missing" for key in ("Summary", "Author", "Keywords") if not metadata[key]]
    classifiers = metadata.get_all("Classifier", [])
    found += [f"the classifier {name!r} is missing" for name in NEEDED_CLASSIFIERS if name not in classifiers]
    extras = metadata.get_all("Provides-Extra", [])
    found += [f"the extra {name!r} is missing" for name in ("cli", "learn", "report", "table") if name not in extras]
    bare = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    if len(bare) != 6:
        found.append(f"a bare install needs {', '.join(bare)}; a new requirement is a decision: change this number too")
    if not str(metadata.get_payload()).lstrip().startswith("# Saddleback"):
        found.append("the long description is not the README")
    return found


def different(ours: Mapping[str, bytes], theirs: Mapping[str, bytes]) -> list[str]:
    """The names of the files that differ, or that only one of two archives has."""
    return sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))


def tracked_files() -> list[str]:
    """The files that git tracks; none where there is no git or no repository."""
    try:
        done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return []
    return [name for name in done.stdout.split("\0") if name] if done.returncode == 0 else []


def package_files() -> list[str]:
    files = [path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return [path.relative_to(PACKAGE.parent).as_posix() for path in files]


def only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        sys.exit(f"{folder} has {len(found)} files {pattern}, and must have one")
    return found[0]


def wheel_of_the_tree() -> dict[str, bytes]:
    """The wheel as it is built from the working tree; that of ``dist`` was built from the source distribution."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "build", "--wheel", "--outdir", folder, str(ROOT)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return read_wheel(only(Path(folder), "*.whl"))


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0])
    wheel, sdist = only(folder, "*.whl"), only(folder, "*.tar.gz")
    files, sources = read_wheel(wheel), read_sdist(sdist)
    metadata = Parser().parsestr(files.get(f"saddleback-{version()}.dist-info/METADATA", b"").decode())
    complaints = wheel_complaints(files, package_files(), version())
    complaints += metadata_complaints(metadata, version())
    complaints += sdist_complaints(sources, tracked_files())
    complaints += [
        f"{name} differs between the wheels of the working tree and of the source distribution"
        for name in different(wheel_of_the_tree(), files)
    ]
    for path, limit in ((wheel, LARGEST_WHEEL), (sdist, LARGEST_SDIST)):
        if path.stat().st_size > limit:
            complaints.append(f"{path.name} has {path.stat().st_size} bytes; {limit} are allowed")
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(f"{wheel.name}: {len(files)} files; {sdist.name}: {len(sources)} files; {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
