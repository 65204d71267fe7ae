#!/usr/bin/env python3
"""Compares rendered reports with the accepted ones, or accepts them.

usage: golden.py compare|approve ACTUAL EXPECTED
       golden.py normalise < report          (what differs between two runs of one audit replaced by words)
       golden.py self-test
"""
import difflib
import pathlib
import re
import shutil
import sys

# Order matters: digests before words that may hold digits. Each: what differs from run to run or machine to machine.
RULES = [
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "TIME"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "DIGEST"),
    (re.compile(r'("(?:\w+_s|seconds)": )[-+0-9.eE]+'), r"\1SECONDS"),
    (re.compile(r'(time=")[0-9.]+'), r"\1SECONDS"),
    (re.compile(r"(?<![\w.])[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)? (s|ms|µs|ns)\b"), "DURATION"),
    (re.compile(r'("id": ")[0-9a-f]{8,}(")'), r"\1RUN\2"),
    (re.compile(r"(?m)^(  id +)[0-9a-f]{8,}$"), r"\1RUN"),
    (re.compile(r"(?<![\w.])/(?:[\w.+-]+/)+(?=[\w.+-])"), "FOLDER/"),
]
ENVIRONMENT = re.compile(r'("environment": \{)[^}]*(\})')


def normalise(text):
    text = ENVIRONMENT.sub(r"\1ENVIRONMENT\2", text)
    for pattern, word in RULES:
        text = pattern.sub(word, text)
    return text


def files_of(folder):
    return {str(p.relative_to(folder)): p for p in sorted(folder.rglob("*")) if p.is_file()}


def compare(actual, expected):
    ours, theirs = files_of(actual), files_of(expected)
    if not theirs:
        print(f"no accepted reports in {expected}: run tests/golden/approve")
        return 1
    bad = 0
    for name in sorted(ours.keys() | theirs.keys()):
        sides = [f[name].read_text(encoding="utf-8").splitlines(True) if name in f else [] for f in (theirs, ours)]
        difference = list(difflib.unified_diff(*sides, f"accepted/{name}", f"now/{name}"))
        sys.stdout.writelines(difference)
        bad += bool(difference)
    print(f"{len(theirs)} accepted reports, {bad} differ" + ("; if that is right: tests/golden/approve" if bad else ""))
    return 1 if bad else 0


def approve(actual, expected):
    if not files_of(actual):
        print(f"nothing rendered in {actual}: build golden_render and run it first")
        return 1
    shutil.rmtree(expected, ignore_errors=True)
    shutil.copytree(actual, expected)
    print(f"{len(files_of(expected))} reports accepted; look at them with git diff")
    return 0


def self_test():
    digest = "0123456789abcdef" * 4
    cases = {
        '"started": "2026-01-02T03:04:05.123Z"': '"started": "TIME"',
        '"seconds": 1.25e-3,': '"seconds": SECONDS,',
        '"candidate_s": 4e-06': '"candidate_s": SECONDS',
        "took 1.25 s": "took DURATION",
        f'"digest": "{digest}"': '"digest": "DIGEST"',
        '"path": "/tmp/x.1/libf.so"': '"path": "FOLDER/libf.so"',
        '"id": "8d1f0c5e"': '"id": "RUN"',
        '"id": "f1"': '"id": "f1"',
        '"environment": {\n "a": "b"\n}': '"environment": {ENVIRONMENT}',
        "y[3, 17]: expected 0.5, got 12": "y[3, 17]: expected 0.5, got 12",
    }
    bad = [(text, normalise(text), wanted) for text, wanted in cases.items() if normalise(text) != wanted]
    for each in bad:
        print("normalise(%r) is %r, not %r" % each)
    return 1 if bad else 0


def main(words):
    if words == ["self-test"]:
        return self_test()
    if words == ["normalise"]:
        sys.stdout.write(normalise(sys.stdin.read()))
        return 0
    if len(words) == 3 and words[0] in ("compare", "approve"):
        folders = [pathlib.Path(word) for word in words[1:]]
        return {"compare": compare, "approve": approve}[words[0]](*folders)
    print(__doc__)
    return 2


sys.exit(main(sys.argv[1:]))
