#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table that uri_corpus.h declares.

usage: make_uri_tables.py SPEC_DIR OUTPUT.c

Reads SPEC_DIR/connection-string/*.json and SPEC_DIR/uri-options/*.json. Without these folders the table is empty and
uri_corpus_present is false. A field that is not understood is an error: cases must not vanish silently.
"""
import json
import pathlib
import sys

from make_tables import c_string, expect_fields, flag, str_span, table

FOLDERS = ("connection-string", "uri-options")
CASE_FIELDS = ("description", "uri", "valid", "warning", "hosts", "auth", "options")
KINDS = {
    "hostname": "BSN_HOST_NAME",
    "ipv4": "BSN_HOST_IPV4",
    "ip_literal": "BSN_HOST_IPV6",
    "unix": "BSN_HOST_UNIX",
}


def option_value(value):
    """The value as it stands in the string; None for lists and pairs, of which only the presence is compared."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (int, str)) else None


def host_row(host) -> str:
    port = host["port"] if host["port"] is not None else 0
    return f"{{{KINDS[host['type']]}, {str_span(host['host'])}, {port}}}"


def array(rows) -> str:
    return "{" + ", ".join(rows) + "}" if rows else "{{0}}"


def read_cases(folder: pathlib.Path):
    rows = []
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        expect_fields(path.name, content, ("tests",))
        for case in content["tests"]:
            expect_fields(f"{path.name}: {case['description']}", case, CASE_FIELDS)
            hosts = [host_row(host) for host in case.get("hosts") or []]
            auth = case.get("auth") or {}
            options = [
                f"{{{c_string(key)}, {c_string(option_value(value))}}}"
                for key, value in (case.get("options") or {}).items()
            ]
            fields = [
                c_string(path.name),
                c_string(case["description"]),
                str_span(case["uri"]),
                flag(case["valid"]),
                flag(case.get("warning")),
                str(len(hosts)),
                array(hosts),
                str_span(auth.get("username")),
                str_span(auth.get("password")),
                str_span(auth.get("db")),
                str(len(options)),
                array(options),
            ]
            rows.append(", ".join(fields))
    return rows


def main() -> None:
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folders = [pathlib.Path(sys.argv[1]) / name for name in FOLDERS]
    present = all(folder.is_dir() for folder in folders)
    rows = [row for folder in folders for row in read_cases(folder)] if present else []
    if present and not rows:
        sys.exit(f"{sys.argv[1]}: no cases of connection strings")
    output = "\n".join(
        [
            "/* Made by tests/corpus/make_uri_tables.py: do not edit. */",
            '#include "corpus/uri_corpus.h"',
            "",
            f"const bool uri_corpus_present = {flag(present)};",
            "",
            table("uri_corpus_case", "uri_corpus_cases", "uri_corpus_count", rows),
        ]
    )
    pathlib.Path(sys.argv[2]).write_text(output, encoding="ascii")


if __name__ == "__main__":
    main()
