#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A host that should not have a say: sends what the LAN's key does not cover, and recordings.

stranger.py record INTERFACE SECONDS FILE: keeps all UDP datagrams that pass an interface, for
whoever could listen.
stranger.py attack FILE PATH OWN_ADDRESS MACHINE=ADDRESS...: sends them again, damaged and under other names,
with bodies and states of its own making and 50,000 datagrams of random bytes, to the bridges and to
the clock of the first machine.
stranger.py member KEY NAME OWN_ADDRESS MACHINE ADDRESS PATH RUN: a machine that has the key, and
tells of UAVs that are not its own, of a body in a file, and of a world that is another one. RUN is
the number of its start, 0: by its clock.

An implementation of the datagrams of its own: see src/lan/datagram_session.hpp.
"""
import hashlib
import hmac
import json
import random
import socket
import struct
import sys
import time

PORT = 11612  # of bridges; the clock is asked on the next one
RANDOM = 50000


def sealed(key, sender, receiver, receiver_run, payload, run, sequence):
    signed = payload + struct.pack("<QI", run, sequence)
    covered = (b"marsim datagram\0" + sender.encode() + b"\0" + receiver.encode() + b"\0" +
               struct.pack("<Q", receiver_run) + signed)
    return signed + hmac.new(key, covered, hashlib.sha256).digest()[:16]


def state(number, stamp=1):
    return b"MPS1" + struct.pack("<HHIIII3f3f3f4f3f", number, 1, 77, 1, stamp, 0, 0.0, 0.0, 9.0,
                                 *[0.0] * 9, 1.0, *[0.0] * 3)


def body(number, path):
    vehicle = b"hummingbird"
    return (b"MPB2" + struct.pack("<HI", number, len(vehicle)) + vehicle +
            struct.pack("<3dI7f", 0.1, 0.1, 0.1, 0, *[0.1] * 7) +
            struct.pack("<I", len(path)) + path.encode())


def impact(by, struck):
    return b"KPS1" + struct.pack("<HHII15f", by, struck, 1, 0, *[9.0] * 15)


def greeting(known_run, digests):
    return b"MPG4" + struct.pack("<Q9I", known_run, *digests)


class Spoofer:
    """Sends datagrams from whatever address."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)

    def send(self, source, source_port, target, port, data):
        udp = struct.pack(">HHHH", source_port, port, 8 + len(data), 0)  # without a checksum
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 28 + len(data), 0, 0, 64, socket.IPPROTO_UDP, 0,
                         socket.inet_aton(source), socket.inet_aton(target))
        self.socket.sendto(ip + udp + data, (target, 0))


def record(interface, seconds, path):
    listener = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))  # ETH_P_ALL
    listener.bind((interface, 0))
    listener.settimeout(0.2)
    datagrams, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            frame = listener.recv(65536)
        except socket.timeout:
            continue
        ip = frame[14:]
        if len(ip) < 28 or ip[0] != 0x45 or ip[9] != socket.IPPROTO_UDP:
            continue
        source_port, port, size = struct.unpack(">HHH", ip[20:26])
        if PORT <= port <= PORT + 1 or PORT <= source_port <= PORT + 1:
            datagrams.append((socket.inet_ntoa(ip[12:16]), source_port,
                              socket.inet_ntoa(ip[16:20]), port, ip[28:20 + size].hex()))
    with open(path, "w") as file:
        json.dump(datagrams, file)
    print(len(datagrams), flush=True)


def attack(recording, path, own_address, machines):
    draw = random.Random(1)
    spoofer = Spoofer()
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.bind((own_address, 0))
    names = {address: name for name, address in machines.items()}
    with open(recording) as file:
        recorded = json.load(file)
    for source, source_port, target, port, text in recorded:
        data = bytes.fromhex(text)
        damaged = bytearray(data)
        damaged[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        for again in (data, data, bytes(damaged), data[:-1], data + b"x"):
            spoofer.send(source, source_port, target, port, again)
        for other in machines.values():  # to whom it was not meant, and in another one's name
            if other not in (source, target):
                spoofer.send(source, source_port, other, port, data)
                spoofer.send(other, source_port, target, port, data)
        own.sendto(data, (target, port))
    run, sequence = 1 << 62, 0
    for target in machines.values():
        for source, name in names.items():
            payloads = [state(number) for number in range(4)]
            payloads += [body(1, path), impact(1, 0), greeting(1 << 61, [1] * 9), b""]
            for payload in payloads:
                for key in (b"", b"a guess", b"\0" * 32):
                    for receiver_run in (0, run):
                        sequence += 1
                        data = sealed(key, name, names[target], receiver_run, payload, run,
                                      sequence)
                        spoofer.send(source, PORT, target, PORT, data)
                        own.sendto(data, (target, PORT))
    leader = list(machines.values())[0]
    for i in range(RANDOM):
        size = draw.choice((1, 16, 28, 32, 56, 64, 112, 400, 1400))
        data = draw.getrandbits(8 * size).to_bytes(size, "little")
        target = draw.choice(list(machines.values()))
        if i % 2:
            own.sendto(data, (target, PORT))
        elif i % 4:
            spoofer.send(draw.choice(list(machines.values())), PORT, target, PORT, data)
        else:
            spoofer.send(draw.choice(list(machines.values())), 40000 + i % 1000, leader, PORT + 1,
                         data)
        if i % 500 == 0:
            time.sleep(0.02)
    print("done", flush=True)


def member(key, name, own_address, machine, address, path, run):
    end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    end.bind((own_address, PORT))
    end.settimeout(0.2)
    run, sequence, other_run, answered = int(run) or time.time_ns() // 1000, 0, 0, False
    finish = time.monotonic() + 4.0
    while time.monotonic() < finish:
        payloads = [greeting(other_run, [12345 + i for i in range(9)])]
        if other_run:
            payloads += [state(0), state(65535), impact(0, 1), body(0, ""), body(3, path)]
        for payload in payloads:
            sequence += 1
            end.sendto(sealed(key, name, machine, other_run, payload, run, sequence),
                       (address, PORT))
        try:
            data = end.recv(65536)
        except socket.timeout:
            continue
        their_run, their_sequence = struct.unpack("<QI", data[-28:-16])
        for receiver_run in (run, 0):
            if data != sealed(key, machine, name, receiver_run, data[:-28], their_run,
                              their_sequence):
                continue
            other_run = their_run
            answered = answered or receiver_run == run
            known_run = struct.unpack_from("<Q", data, 4)[0] if data[:4] == b"MPG4" else 0
            if known_run > run:  # of an earlier start of this machine, whose clock was ahead
                run, answered = known_run + 1, False
    print("answered" if answered else "not answered", flush=True)


def main():
    action, words = sys.argv[1], sys.argv[2:]
    if action == "record":
        record(words[0], float(words[1]), words[2])
    elif action == "attack":
        attack(*words[:3], dict(word.split("=") for word in words[3:]))
    else:
        with open(words[0]) as file:
            key = file.read().strip().encode()
        member(key, *words[1:])


if __name__ == "__main__":
    main()
