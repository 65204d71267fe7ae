#!/usr/bin/env python3
"""Checks reports against a JSON Schema with Debian's validator. usage: validate.py SCHEMA REPORT|FOLDER…"""
import json
import pathlib
import sys

import jsonschema


def refuse_nan(word):
    raise ValueError(f"{word} is no JSON")


def reports(words):
    for word in map(pathlib.Path, words):
        yield from sorted(word.rglob("*.json")) if word.is_dir() else [word]


def main(words):
    if len(words) < 2:
        print(__doc__)
        return 2
    schema = json.loads(pathlib.Path(words[0]).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    count = bad = 0
    for path in reports(words[1:]):
        count += 1
        value = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse_nan)
        for error in validator.iter_errors(value):
            bad += 1
            print(f"{path}: {'/'.join(map(str, error.absolute_path)) or 'top'}: {error.message}")
    print(f"{count} reports, {bad} errors")
    return 0 if count and not bad else 1


sys.exit(main(sys.argv[1:]))
