# The project with everything that it needs: docker build -t ndt .  and  docker run --rm -it ndt
# Ubuntu 24.04 in place of Debian 12: --build-arg BASE=ubuntu:24.04
ARG BASE=debian:bookworm
FROM ${BASE}
# ./run lists the packages; PCL, the largest by far, is left out.
COPY run /tmp/run
RUN packages=$(sed -n '/^packages=(/,/)$/p' /tmp/run | tr -d '()' | sed 's/^packages=//' | tr '\n' ' ') \
 && apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ca-certificates $packages \
 && rm -rf /var/lib/apt/lists/* /tmp/run
COPY . /ndt
WORKDIR /ndt
RUN cmake --preset release -DNDT_PCL=OFF -DNDT_CUDA=OFF \
 && cmake --build --preset release --target programs \
 && ln -s /ndt/build/release/bin/ndt-bench /usr/local/bin/ndt-bench
CMD ["bash"]
