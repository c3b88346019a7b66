# SPDX-License-Identifier: Apache-2.0
set(TESTS_SUPPORT_SOURCES
)
