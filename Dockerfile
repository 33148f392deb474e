# SPDX-License-Identifier: BSD-3-Clause
# README's first command in a container; not tried yet with a container builder. From the root of the
# repository, with pictures and cloud in ./demo_output afterwards:
#   docker build -t marsim . && docker run --rm -v "$PWD/demo_output:/marsim/demo_output" marsim
FROM debian:12
COPY . /marsim
WORKDIR /marsim
# Installs packages and builds what flies: `demo --help` ends before the flight.
RUN ./marsim demo --help > /dev/null && apt-get clean && rm -rf /var/lib/apt/lists/*
ENTRYPOINT ["./marsim"]
CMD ["demo"]
