#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Works out trajectory errors with numpy and compares them with those of a program.

usage: trajectory_error_reference.py trajectory_error_test_cases

The program writes trajectories and their errors as JSON. Here rotations are matrices, so that
nothing of the quaternions' arithmetic is shared.
"""

import json
import subprocess
import sys

import numpy as np

TOLERANCE = 1e-9


def matrix(quaternion):
    """3 x 3 of x, y, z, w."""
    x, y, z, w = np.asarray(quaternion) / np.linalg.norm(quaternion)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def axis_times_sine(rotation):
    return 0.5 * np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0],
                           rotation[1, 0] - rotation[0, 1]])


def angle(rotation):
    return np.arctan2(np.linalg.norm(axis_times_sine(rotation)), 0.5 * (np.trace(rotation) - 1))


def part_of(rotation, share):
    """The rotation about the same axis by a share of its angle (Rodrigues)."""
    sine = axis_times_sine(rotation)
    norm = np.linalg.norm(sine)
    if norm < 1e-12:
        return np.eye(3)
    x, y, z = sine / norm
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    part = share * angle(rotation)
    return np.eye(3) + np.sin(part) * cross + (1 - np.cos(part)) * cross @ cross


def homogeneous(rotation, position):
    pose = np.eye(4)
    pose[:3, :3] = rotation
    pose[:3, 3] = position
    return pose


def poses(rows):
    return [(row[0], homogeneous(matrix(row[4:8]), row[1:4])) for row in rows]


def truth_at(truth, stamps, stamp):
    after = int(np.searchsorted(stamps, stamp))
    if stamps[after] == stamp:
        return truth[after][1]
    (t0, a), (t1, b) = truth[after - 1], truth[after]
    share = (stamp - t0) / (t1 - t0)
    rotation = a[:3, :3] @ part_of(a[:3, :3].T @ b[:3, :3], share)
    return homogeneous(rotation, (1 - share) * a[:3, 3] + share * b[:3, 3])


def associated(case):
    truth = poses(case["truth"])
    stamps = np.array([stamp for stamp, _ in truth])
    frame = poses([case["X_BF"]])[0][1]
    first = {}
    for stamp, pose in poses(case["estimate"]):
        first.setdefault(stamp + case["offset_ns"], pose)
    inside = sorted(stamp for stamp in first if stamps[0] <= stamp <= stamps[-1])
    return (inside, [truth_at(truth, stamps, stamp) @ frame for stamp in inside],
            [first[stamp] for stamp in inside], stamps[-1] - stamps[0])


def aligned(estimate, truth):
    """Umeyama 1991, eq. 40 to 42, without scale."""
    mean_from, mean_to = estimate.mean(axis=0), truth.mean(axis=0)
    u, _, vt = np.linalg.svd((truth - mean_to).T @ (estimate - mean_from))
    sign = np.diag([1, 1, np.sign(np.linalg.det(u) * np.linalg.det(vt))])
    rotation = u @ sign @ vt
    return (estimate - mean_from) @ rotation.T + mean_to


def rms(values):
    return float(np.sqrt(np.mean(np.square(values)))) if len(values) else None


def errors_of(case):
    stamps, truth, estimate, duration = associated(case)
    result = {"stamps": stamps, "error": [], "ate_rms": None, "ate_max": None}
    if len(stamps) >= (3 if case["align"] else 1):
        p = np.array([pose[:3, 3] for pose in estimate])
        q = np.array([pose[:3, 3] for pose in truth])
        error = np.linalg.norm((aligned(p, q) if case["align"] else p) - q, axis=1)
        result.update(error=list(error), ate_rms=rms(error), ate_max=float(error.max()))
    lengths, angles = [], []
    for i, begin in enumerate(stamps):
        later = [j for j, stamp in enumerate(stamps) if stamp >= begin + case["rpe_delta_ns"]]
        if not later:
            continue
        j = later[0]
        q = np.linalg.inv(truth[i]) @ truth[j]
        p = np.linalg.inv(estimate[i]) @ estimate[j]
        error = np.linalg.inv(q) @ p
        lengths.append(np.linalg.norm(error[:3, 3]))
        angles.append(angle(error[:3, :3]))
    gaps = np.diff(stamps)
    result.update(rpe_pairs=len(lengths), rpe_rms=rms(lengths), rpe_angle_rms=rms(angles),
                  completeness=float(gaps[gaps <= case["longest_gap_ns"]].sum() / duration))
    return result


def differs(a, b):
    if a is None or b is None:
        return a is not b
    a, b = np.atleast_1d(a), np.atleast_1d(b)
    return a.shape != b.shape or not np.all(np.abs(a - b) <= TOLERANCE)


def main():
    cases = json.loads(subprocess.run([sys.argv[1]], check=True, stdout=subprocess.PIPE).stdout)
    wrong = 0
    for case in cases:
        for key, value in errors_of(case).items():
            if differs(value, case["result"][key]):
                wrong += 1
                print(f"{case['name']}: {key} is {case['result'][key]}, by numpy {value}")
        print(f"{case['name']}: ate {case['result']['ate_rms']}, rpe {case['result']['rpe_rms']}")
    if len(cases) < 10:
        sys.exit("too few cases")
    sys.exit(f"{wrong} values differ" if wrong else 0)


if __name__ == "__main__":
    main()
