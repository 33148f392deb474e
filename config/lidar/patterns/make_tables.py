#!/usr/bin/env python3
"""Writes the scan tables of sensors whose optics are not published, beside this file.

    python3 make_tables.py [FOLDER]

A fan of lines is led over the field of view by two triangle waves, one across and a slower one up
and down, whose periods share no divisor within the table: it repeats itself only as a whole. Field
of view, rate and number of lines are the maker's, the way of scanning is not: a table recorded from
a real sensor may be put in its place. Whole-number arithmetic, so that every machine writes the
same bytes.
"""
import fractions
import pathlib
import sys

Fraction = fractions.Fraction

# sensor: rows (a multiple of the lines), half width and half height of the view [deg], periods of
# the two waves in the table, lines and their distance [deg].
TABLES = {
    "horizon": dict(rows=96000, width="40.85", height="12.55", across=43, upwards=5, lines=6,
                    spacing="0.45"),
    "hap": dict(rows=113004, width="60", height="12.5", across=29, upwards=3, lines=6,
                spacing="0.4"),
}


def triangle(phase):
    """A wave of period 1 that rises from -1 at 0 to 1 at 1/2."""
    phase -= phase.numerator // phase.denominator
    return 4 * phase - 1 if 2 * phase < 1 else 3 - 4 * phase


def hundredths(value):
    """The number with two decimals, ties away from zero."""
    scaled = abs(value) * 100 + Fraction(1, 2)
    whole = scaled.numerator // scaled.denominator
    return f"{'-' if value < 0 and whole else ''}{whole // 100}.{whole % 100:02d}"


def write(folder, name, rows, width, height, across, upwards, lines, spacing):
    width, height, spacing = Fraction(width), Fraction(height), Fraction(spacing)
    reach = height - spacing * Fraction(lines - 1, 2)
    with open(folder / f"{name}.csv", "w", encoding="ascii", newline="\n") as table:
        table.write("# Made by make_tables.py. Degrees; one row a shot, lines in turns.\n")
        table.write("azimuth,elevation\n")
        for row in range(rows):
            line = row % lines - Fraction(lines - 1, 2)
            azimuth = width * triangle(Fraction(across * row, rows))
            elevation = reach * triangle(Fraction(upwards * row, rows)) + spacing * line
            table.write(f"{hundredths(azimuth)},{hundredths(elevation)}\n")


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__)
    folder = folder if folder.is_dir() else folder.parent
    for name, settings in TABLES.items():
        write(folder, name, **settings)


if __name__ == "__main__":
    main()
