#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the scan tables of sensors whose optics are not published, beside this file.

    python3 make_tables.py [FOLDER]

A fan of lines is led over the field of view by two triangle waves, one across and a slower one up
and down, whose periods share no divisor within the table: it repeats itself only as a whole. Field
of view, rate and number of lines are the maker's, the way of scanning is not: a table recorded from
a real sensor may be put in its place. The LMS-291's mirror sweeps one line evenly. Whole-number arithmetic, so that every machine writes the
same bytes.
"""
import pathlib
import sys

# sensor: rows (a multiple of the lines), half width and half height of the view, periods of the two
# waves in the table, lines and their distance; angles in thousandths of a degree.
TABLES = {
    "horizon": dict(rows=96000, width=40850, height=12550, across=43, upwards=5, lines=6,
                    spacing=450),
    "hap": dict(rows=113004, width=60000, height=12500, across=29, upwards=3, lines=6,
                spacing=400),
}


def triangle(number, rows):
    """`rows` times a wave of period `rows` that rises from -1 at 0 to 1 at half its period."""
    phase = number % rows
    return 4 * phase - rows if 2 * phase < rows else 3 * rows - 4 * phase


def degrees(numerator, denominator):
    """Thousandths of a degree as degrees with two decimals, ties away from zero."""
    whole = (abs(numerator) + 5 * denominator) // (10 * denominator)
    return f"{'-' if numerator < 0 and whole else ''}{whole // 100}.{whole % 100:02d}"


def write(folder, name, rows, width, height, across, upwards, lines, spacing):
    fan = spacing * (lines - 1)  # twice the lines' reach from their middle
    with open(folder / f"{name}.csv", "w", encoding="ascii", newline="\n") as table:
        table.write("# Made by make_tables.py. Degrees; one row a shot, lines in turns.\n")
        table.write("azimuth,elevation\n")
        for row in range(rows):
            azimuth = width * triangle(across * row, rows)
            elevation = ((2 * height - fan) * triangle(upwards * row, rows)
                         + (2 * spacing * (row % lines) - fan) * rows)
            table.write(f"{degrees(azimuth, rows)},{degrees(elevation, 2 * rows)}\n")


def write_slice(folder, name, degrees_a_row, turn):
    """Half a turn of `turn` ns from right to left, in the middle of it."""
    with open(folder / f"{name}.csv", "w", encoding="ascii", newline="\n") as table:
        table.write("# Made by make_tables.py. Degrees and seconds; one row a shot.\n")
        table.write("azimuth,elevation,time\n")
        for azimuth in range(-90, 91, degrees_a_row):
            time = turn * (azimuth + 180) // 360
            table.write(f"{azimuth},0,{time // 10**9}.{time % 10**9:09d}\n")


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__)
    folder = folder if folder.is_dir() else folder.parent
    for name, settings in TABLES.items():
        write(folder, name, **settings)
    write_slice(folder, "lms291", degrees_a_row=1, turn=13333333)


if __name__ == "__main__":
    main()
