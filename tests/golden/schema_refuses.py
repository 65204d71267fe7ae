#!/usr/bin/env python3
"""Breaks a good report in many ways, each of which the schema must refuse. usage: schema_refuses.py SCHEMA REPORT"""
import copy
import json
import pathlib
import sys

import jsonschema

BREAKS = {
    "no verdict": lambda r: r.pop("verdict"),
    "unknown verdict": lambda r: r.update(verdict="ok"),
    "schema of the future": lambda r: r.update(schema=2),
    "local time": lambda r: r["run"].update(started="2026-01-02 03:04:05"),
    "short seed": lambda r: r["run"].update(seed="77"),
    "negative calls": lambda r: r["checks"][0]["counts"].update(calls=-1),
    "fractional calls": lambda r: r["checks"][0]["counts"].update(calls=0.5),
    "a check without counts": lambda r: r["checks"][0].pop("counts"),
    "an outcome of its own": lambda r: r["checks"][0].update(outcome="maybe"),
    "a finding without a replay": lambda r: r["findings"][0].pop("replay"),
    "severity in words of its own": lambda r: r["findings"][0].update(severity="warning"),
    "nested evidence": lambda r: r["findings"][0]["evidence"].update(a={"b": 1}),
    "an unknown lifetime": lambda r: r["lifetimes"].update(forever={"required": True, "outcome": "pass", "calls": 1}),
    "a word for a number": lambda r: r["numerics"]["outputs"][0].update(max_rho="large"),
    "reasons that are no list": lambda r: r.update(reasons="because"),
    "a subject without a digest": lambda r: r["subjects"]["candidate"].pop("digest"),
    "a verdict without reasons": lambda r: r.update(reasons=[]),
}


def main(words):
    schema, report = (json.loads(pathlib.Path(word).read_text(encoding="utf-8")) for word in words)
    validator = jsonschema.Draft202012Validator(schema)
    accepted = []
    for name, damage in BREAKS.items():
        broken = copy.deepcopy(report)
        damage(broken)
        if validator.is_valid(broken):
            accepted.append(name)
    if not validator.is_valid(report):
        accepted.append("(the unbroken report is refused)")
    print(f"{len(BREAKS)} broken reports; wrongly judged: {accepted or 'none'}")
    return 1 if accepted else 0


sys.exit(main(sys.argv[1:]))
