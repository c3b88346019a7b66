# SPDX-License-Identifier: Apache-2.0
bsonic_sources(
    cmd_decode.c
    cmd_pull.c
    cmd_push.c
    cmd_serve.c
    cmd_validate.c
    cmd_version.c
    memory.c
    options.c
    progress.c
    remote.c
    report.c
    signals.c
    sink.c
    source.c
)
