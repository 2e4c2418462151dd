/* SPDX-License-Identifier: Apache-2.0 */

/* The header's sections "version", "errors" and "enumerations": names of numbers. */
#include <stdio.h>
#include <string.h>

#include "fixture.h"

TEST("the version of the running library is the version of the header") {
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", REMORA_VERSION_MAJOR, REMORA_VERSION_MINOR, REMORA_VERSION_PATCH);
  CHECK_TEXT(REMORA_VERSION, remora_version());
  CHECK_TEXT(version, remora_version());
}

#define NAMED(code) {code, #code}

static const struct {
  remora_status status;
  const char *name;
} named[] = {
    NAMED(REMORA_OK),
    NAMED(REMORA_ERR_INVALID_ARGUMENT),
    NAMED(REMORA_ERR_NOT_FOUND),
    NAMED(REMORA_ERR_WRONG_TYPE),
    NAMED(REMORA_ERR_TIMEOUT),
    NAMED(REMORA_ERR_CANCELLED),
    NAMED(REMORA_ERR_CLOSED),
    NAMED(REMORA_ERR_BUSY),
    NAMED(REMORA_ERR_NETWORK),
    NAMED(REMORA_ERR_TLS),
    NAMED(REMORA_ERR_HTTP),
    NAMED(REMORA_ERR_REDIRECT),
    NAMED(REMORA_ERR_TOO_LARGE),
    NAMED(REMORA_ERR_UNAVAILABLE),
    NAMED(REMORA_ERR_BACKOFF),
    NAMED(REMORA_ERR_PARSE),
    NAMED(REMORA_ERR_FORMAT),
    NAMED(REMORA_ERR_SIGNATURE_MISSING),
    NAMED(REMORA_ERR_SIGNATURE_MALFORMED),
    NAMED(REMORA_ERR_SIGNATURE_MISMATCH),
    NAMED(REMORA_ERR_CHAIN_MALFORMED),
    NAMED(REMORA_ERR_CHAIN_INVALID),
    NAMED(REMORA_ERR_CERTIFICATE_EXPIRED),
    NAMED(REMORA_ERR_CERTIFICATE_SUBJECT),
    NAMED(REMORA_ERR_ROOT_MISMATCH),
    NAMED(REMORA_ERR_CHAIN_LOCATION),
    NAMED(REMORA_ERR_ATTACHMENT_MISMATCH),
    NAMED(REMORA_ERR_FUTURE),
    NAMED(REMORA_ERR_EQUIVOCATION),
    NAMED(REMORA_ERR_STORAGE),
    NAMED(REMORA_ERR_PERMISSION),
    NAMED(REMORA_ERR_CORRUPT),
    NAMED(REMORA_ERR_INTERNAL),
};

TEST("remora_status_name returns the name of each status in the header") {
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    CHECK_TEXT(named[i].name, remora_status_name(named[i].status));
}

TEST("remora_status_name returns REMORA_ERR_UNKNOWN for an undefined status") {
  const remora_status strange[] = {1, -1, -99, -707, -1000, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
    CHECK_TEXT("REMORA_ERR_UNKNOWN", remora_status_name(strange[i]));
}

TEST("remora_status_family returns the family under which the header lists a status") {
  CHECK_INT(REMORA_FAMILY_NONE, remora_status_family(REMORA_OK));
  CHECK_INT(REMORA_FAMILY_CALL, remora_status_family(REMORA_ERR_INVALID_ARGUMENT));
  CHECK_INT(REMORA_FAMILY_CALL, remora_status_family(REMORA_ERR_BUSY));
  CHECK_INT(REMORA_FAMILY_NETWORK, remora_status_family(REMORA_ERR_BACKOFF));
  CHECK_INT(REMORA_FAMILY_DOCUMENT, remora_status_family(REMORA_ERR_TOO_LARGE));
  CHECK_INT(REMORA_FAMILY_TRUST, remora_status_family(REMORA_ERR_ATTACHMENT_MISMATCH));
  CHECK_INT(REMORA_FAMILY_FRESHNESS, remora_status_family(REMORA_ERR_EQUIVOCATION));
  CHECK_INT(REMORA_FAMILY_STORAGE, remora_status_family(REMORA_ERR_CORRUPT));
  CHECK_INT(REMORA_FAMILY_SYSTEM, remora_status_family(REMORA_ERR_INTERNAL));
}

TEST("for an undefined status, remora_status_family returns the family of its number range") {
  CHECK_INT(REMORA_FAMILY_NETWORK, remora_status_family(-199));
  CHECK_INT(REMORA_FAMILY_CALL, remora_status_family(-799));
  CHECK_INT(8, remora_status_family(-800));
  CHECK_INT(21474836, remora_status_family(INT32_MIN));
}

TEST("a number that no function returns belongs to no family") {
  const remora_status strange[] = {1, 700, INT32_MAX, -1, -7, -99};
  for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
    CHECK_INT(REMORA_FAMILY_NONE, remora_status_family(strange[i]));
}

TEST("the family of a status is its hundreds, and 0 only for success") {
  for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
    CHECK_INT(-named[i].status / 100, remora_status_family(named[i].status));
    CHECK((remora_status_family(named[i].status) == REMORA_FAMILY_NONE) == (named[i].status == REMORA_OK));
  }
}

TEST("every constant of an enumeration has a name") {
  const char *const origins[] = {"none", "default", "packaged", "cached", "fetched", "override"};
  const char *const outcomes[] = {"none", "updated", "unchanged", "not_newer", "staged", "refused", "failed"};
  const char *const causes[] = {"opened",   "refreshed", "adopted",  "reset",    "context",
                                "override", "activated", "rejected", "freshness"};
  const char *const freshness[] = {"none", "never", "fresh", "stale"};
  const char *const families[] = {"none", "network", "document", "trust", "freshness", "storage", "system", "call"};
  const char *const kinds[] = {"collection", "bundle", "settings"};
  const char *const changes[] = {"created", "updated", "deleted"};
  const char *const types[] = {"none", "null", "bool", "int", "double", "string", "array", "object"};
  for (int32_t i = 0; i <= REMORA_ORIGIN_OVERRIDE; i++) CHECK_TEXT(origins[i], remora_origin_name(i));
  for (int32_t i = 0; i <= REMORA_OUTCOME_FAILED; i++) CHECK_TEXT(outcomes[i], remora_outcome_name(i));
  for (int32_t i = 0; i < REMORA_CAUSE_FRESHNESS; i++) CHECK_TEXT(causes[i], remora_cause_name(i + 1));
  for (int32_t i = 0; i <= REMORA_FRESHNESS_STALE; i++) CHECK_TEXT(freshness[i], remora_freshness_name(i));
  for (int32_t i = 0; i <= REMORA_FAMILY_CALL; i++) CHECK_TEXT(families[i], remora_family_name(i));
  for (int32_t i = 0; i < REMORA_KIND_SETTINGS; i++) CHECK_TEXT(kinds[i], remora_source_kind_name(i + 1));
  for (int32_t i = 0; i < REMORA_CHANGE_DELETED; i++) CHECK_TEXT(changes[i], remora_change_kind_name(i + 1));
  for (int32_t i = 0; i <= REMORA_TYPE_OBJECT; i++) CHECK_TEXT(types[i], remora_type_name(i));
}

TEST("the name of an undefined number of an enumeration is \"unknown\"") {
  const int32_t strange[] = {-1, 10, 100, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
    CHECK_TEXT("unknown", remora_origin_name(strange[i]));
    CHECK_TEXT("unknown", remora_outcome_name(strange[i]));
    CHECK_TEXT("unknown", remora_cause_name(strange[i]));
    CHECK_TEXT("unknown", remora_family_name(strange[i]));
    CHECK_TEXT("unknown", remora_freshness_name(strange[i]));
    CHECK_TEXT("unknown", remora_source_kind_name(strange[i]));
    CHECK_TEXT("unknown", remora_change_kind_name(strange[i]));
    CHECK_TEXT("unknown", remora_type_name(strange[i]));
  }
  CHECK_TEXT("unknown", remora_origin_name(REMORA_ORIGIN_OVERRIDE + 1));
  CHECK_TEXT("unknown", remora_outcome_name(REMORA_OUTCOME_FAILED + 1));
  CHECK_TEXT("unknown", remora_cause_name(0));
  CHECK_TEXT("unknown", remora_source_kind_name(0));
  CHECK_TEXT("unknown", remora_change_kind_name(0));
}
