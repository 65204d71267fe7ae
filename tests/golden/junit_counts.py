#!/usr/bin/env python3
"""Parses every report.xml below a folder and adds its counts up. usage: junit_counts.py FOLDER"""
import pathlib
import sys
import xml.etree.ElementTree as tree


def wrong(path):
    root = tree.parse(path).getroot()
    for suite in [root, *root.iter("testsuite")]:
        cases = list(suite.iter("testcase"))
        counted = {
            "tests": len(cases),
            "failures": sum(c.find("failure") is not None for c in cases),
            "errors": sum(c.find("error") is not None for c in cases),
            "skipped": sum(c.find("skipped") is not None for c in cases),
        }
        stated = {key: int(suite.get(key)) for key in counted}
        if stated != counted or not cases:
            return f"{path}: {suite.tag} states {stated}, holds {counted}"
    return ""


paths = sorted(pathlib.Path(sys.argv[1]).rglob("report.xml"))
problems = [text for text in map(wrong, paths) if text]
print("\n".join(problems) or f"{len(paths)} files add up")
sys.exit(1 if problems or not paths else 0)
