#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/bench makes of the lines of bench_codec --tsv: the record, its table, and the verdicts of the gate.

  report.py record RECORD.json RUN.tsv...        medians of the ratios of all runs into a record
  report.py table RECORD.json DOCUMENT.md        puts the record's table into a document, between its two marks
  report.py ratios RUN.tsv...                    fails when a row's best ratio is under 0.6 of its floor; prints "JOB<tab>SET" of each
  report.py instructions RECORD.tsv COUNTED.tsv  fails when a count has risen by more than 3 % over the record
"""
import datetime
import json
import statistics
import sys

# A single run on a busy machine says little, so the gate is below the floor; instructions are counted, and steady.
GATE_SHARE = 0.6
RISE_MAX = 1.03

BEGIN_MARK = "<!-- record begins: scripts/bench --record writes this -->"
END_MARK = "<!-- record ends -->"


def read_run(path):
    """One run: ({"compiler": ..}, [row, ..])."""
    info, rows = {}, []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            kind, *rest = line.rstrip("\n").split("\t")
            if kind == "info":
                info[rest[0]] = rest[1].strip()
            elif kind == "row":
                names = ("job", "set", "unit")
                figures = ("ours_ns", "theirs_ns", "ratio", "floor", "goal", "kept", "dropped")
                row = dict(zip(names, rest))
                row.update(zip(figures, map(float, rest[3:])))
                rows.append(row)
    return info, rows


def rows_by_name(paths):
    """All runs' rows of one job on one set, in the order of the first run."""
    found = {}
    for path in paths:
        for row in read_run(path)[1]:
            found.setdefault((row["job"], row["set"]), []).append(row)
    return found


def cpu_model():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return "unknown"


# ------------------------------------------------------------------ the record


def median_row(rows):
    ratios = [row["ratio"] for row in rows]
    first = rows[0]
    return {
        "job": first["job"],
        "set": first["set"],
        "unit": first["unit"],
        "ratio": round(statistics.median(ratios), 3),
        "ratio_least": round(min(ratios), 3),
        "ratio_most": round(max(ratios), 3),
        "floor": first["floor"],
        "goal": first["goal"],
        "ours_ns": round(statistics.median(row["ours_ns"] for row in rows), 3),
        "theirs_ns": round(statistics.median(row["theirs_ns"] for row in rows), 3),
        "samples": int(sum(row["kept"] for row in rows)),
        "samples_dropped": int(sum(row["dropped"] for row in rows)),
    }


def write_record(target, paths):
    info = read_run(paths[0])[0]
    record = {
        "date": datetime.date.today().isoformat(),
        "cpu": cpu_model(),
        "compiler": info["compiler"],
        "tier": info["tier"],
        "libbson": info["libbson"],
        "runs": len(paths),
        "rows": [median_row(rows) for rows in rows_by_name(paths).values()],
    }
    with open(target, "w", encoding="utf-8") as out:
        json.dump(record, out, indent=1)
        out.write("\n")
    return 0


def verdict(row):
    if row["floor"] == 0:
        return ""
    if row["ratio"] >= row["goal"]:
        return "goal"
    return "floor" if row["ratio"] >= row["floor"] else "**under**"


def number(value):
    """Three digits that mean something."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table_lines(record):
    yield (
        f"Taken on {record['date']}, {record['cpu']}, {record['compiler']}, tier {record['tier']}, libbson "
        f"{record['libbson']}: medians of {record['runs']} runs over three link orders."
    )
    yield ""
    yield "| job | set | ratio | least to most | floor | goal | met | ours, ns | theirs, ns |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in record["rows"]:
        floor = f"{row['floor']:g} | {row['goal']:g}" if row["floor"] else " | "
        yield (
            f"| {row['job']} | {row['set']} | {number(row['ratio'])} | {number(row['ratio_least'])} to "
            f"{number(row['ratio_most'])} | {floor} | {verdict(row)} | {number(row['ours_ns'])} | "
            f"{number(row['theirs_ns'])} |"
        )


def write_table(source, target):
    with open(source, encoding="utf-8") as record:
        lines = list(table_lines(json.load(record)))
    with open(target, encoding="utf-8") as document:
        text = document.read()
    before, _, rest = text.partition(BEGIN_MARK)
    _, end, after = rest.partition(END_MARK)
    if not end:
        print(f"{target}: the marks of the record are missing", file=sys.stderr)
        return 1
    with open(target, "w", encoding="utf-8") as document:
        document.write(before + BEGIN_MARK + "\n" + "\n".join(lines) + "\n" + END_MARK + after)
    return 0


# ------------------------------------------------------------------ the gate


def gate_ratios(paths):
    found = rows_by_name(paths)
    if not found:
        print("gate: no row was measured", file=sys.stderr)
        return 1
    failed = 0
    for (job, name), rows in found.items():
        best = max(row["ratio"] for row in rows)
        least = rows[0]["floor"] * GATE_SHARE
        if best >= least:
            continue
        failed += 1
        print(f"{job}\t{name}")
        print(
            f"gate: {job} on {name}: ratio {best:.2f}, under {least:.2f} ({GATE_SHARE} of its floor {rows[0]['floor']:g})",
            file=sys.stderr,
        )
    print(f"gate: {len(found)} rows, {failed} under {GATE_SHARE} of their floor", file=sys.stderr)
    return 1 if failed else 0


def read_counts(path):
    """Lines "JOB<tab>SET<tab>instructions a unit", and "# .." comments."""
    counts = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("#") or not line.strip():
                continue
            job, name, count = line.rstrip("\n").split("\t")
            counts[job, name] = float(count)
    return counts


def gate_instructions(recorded_path, counted_path):
    recorded, counted = read_counts(recorded_path), read_counts(counted_path)
    failed = 0
    for key in recorded.keys() | counted.keys():
        name = " on ".join(key)
        if key not in recorded or key not in counted:
            failed += 1
            print(f"gate: {name} is {'not recorded' if key in counted else 'recorded and not counted'}", file=sys.stderr)
        elif counted[key] > recorded[key] * RISE_MAX:
            failed += 1
            rise = counted[key] / recorded[key] * 100 - 100
            print(
                f"gate: {name}: {counted[key]:.2f} instructions a unit, {rise:.1f} % over the record ({recorded[key]:.2f})",
                file=sys.stderr,
            )
        elif counted[key] < recorded[key] / RISE_MAX:
            print(f"gate: {name}: {counted[key]:.2f} instructions, less than the record's {recorded[key]:.2f}: record it")
    print(f"gate: {len(counted)} counts of instructions, {failed} to look at", file=sys.stderr)
    return 1 if failed or not counted else 0


def main(arguments):
    match arguments:
        case ["record", target, *paths] if paths:
            return write_record(target, paths)
        case ["table", source, target]:
            return write_table(source, target)
        case ["ratios", *paths] if paths:
            return gate_ratios(paths)
        case ["instructions", recorded, counted]:
            return gate_instructions(recorded, counted)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
