/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file remora.h A C library that fetches, verifies and caches a server's configuration. Programs read it from memory.
 *
 * @code
 * remora_config config;
 * remora_collection_options collection;
 * remora_client *client = NULL;
 * remora_source *source = NULL;
 * remora_error error;
 *
 * REMORA_INIT(&config);
 * config.storage_dir = "/var/lib/host/remora";
 * REMORA_INIT(&collection);
 * collection.name = "search-config-v2";
 * if (remora_setup(&config, &client, &error) == REMORA_OK &&
 *     remora_open_collection(client, &collection, NULL, &source, &error) == REMORA_OK) {
 *   remora_refresh(source, NULL, 5000, NULL, &error);
 *   printf("%lld uploads\n", (long long)remora_get_int(source, "limits", "/max_uploads", 10));
 * }
 * if (error.status != REMORA_OK) fprintf(stderr, "%s\n", error.message);
 * remora_source_close(source);
 * remora_client_close(client);
 * @endcode
 *
 * Words. The *host* is the program that uses Remora. A *source* is a set of settings that is fetched as a unit. Reads
 * return the *live* version of a source. A *staged* version is stored, and becomes live later. *Packaged* data is
 * shipped with the program. A *seed* is data that an installer saves before the program runs. An *image* is the file
 * that stores one version of a source; a *ledger* is a file that stores times, ETags and backoffs. A *monitor* is a
 * Remote Settings server's list of collections with their timestamps. docs/glossary.md lists all special terms.
 *
 * Conventions. They apply to every function unless its comment states otherwise:
 * - The function may be called from any thread, even inside callbacks. A callback or visitor may call any function.
 * - "Thread" states which threads may call a function, "Ownership" which handle or memory changes its owner, and
 *   "Blocking" what the function waits for. If the comment of a function lacks these entries, they are in another
 *   place: for a visitor, and for the suffixes _retain and _release, in this list; for the suffix _async, in the
 *   comment of remora_result_callback; for any other function, such as a getter, in the comment above its group.
 * - A parameter must not be NULL. If it is NULL, the function returns REMORA_ERR_INVALID_ARGUMENT and does not crash.
 *   `options` may be NULL for the defaults. Functions that close, release, cancel or unsubscribe ignore NULL.
 * - Comments omit parameters that have the same meaning everywhere: the object, `user_data`, `error`, and outputs that
 *   the summary describes. `error` receives the details of a failure, is cleared on success, and may be NULL.
 * - If the comment of a function has no @return, the function returns REMORA_OK or an error that every function can
 *   return. The comment of remora_status lists these errors.
 * - The function has been available since version 0.1.
 * - Outputs are written only if the function returns REMORA_OK.
 * - Strings, arrays and data that are passed in are copied. Strings are NUL-terminated UTF-8. The length of a returned
 *   string is in bytes and does not include the NUL. A JSON string may contain U+0000.
 * - Functions that write text work like snprintf. `buffer` receives at most `size` bytes and is NUL-terminated; it may
 *   be NULL if size is 0. `out_length`, or the result of a getter, is the length of the whole text in bytes, without
 *   the NUL. If that length is `size` or more, the text was truncated at a character boundary.
 * - `visitor` is called on the calling thread before the function returns. The visitor returns 0 to continue. Any other
 *   number stops the iteration, and the function then returns REMORA_OK. Unless stated otherwise, functions with a
 *   visitor have these entries: "Thread: any. Ownership: none. Blocking: no."
 * - Functions with the suffix _retain add a reference to an object and return the object, or NULL for NULL. Functions
 *   with the suffix _release release a handle or reference; the last release frees the object. For both: Thread: any.
 *   Ownership: the caller releases each reference; a release consumes the handle or reference. Blocking: no.
 * - Structures passed to callbacks and visitors are valid during the call. To keep a snapshot or attachment, retain it.
 * - `pointer` is a JSON Pointer (RFC 6901) into a value: "/a/0" is element 0 of "a". NULL and "" mean the whole value.
 *   Any other pointer must begin with a slash. A malformed pointer is an error with REMORA_ERR_INVALID_ARGUMENT;
 *   remora_get_… return their default then, and log a warning once for each key and pointer.
 * - Durations are in milliseconds. In an options field, 0 selects the default, and -1 turns the limit or interval off.
 *   If a timeout argument is 0, the function does not wait. If it is -1, the function adds no time limit of its own.
 *   Any other negative number is an invalid argument.
 * - Points in time (…_at_ms, timestamps) are in milliseconds since 1970; 0 means "never".
 * - `user_data` (which may be NULL) is passed to the callback. If the callback can run after the function has returned,
 *   `free_user_data` (which may be NULL) follows `user_data`. The library calls it exactly once with `user_data`: after
 *   the last call of the callback, or when the function fails. If free_user_data is in a structure with an invalid
 *   struct_size, free_user_data is not called. remora_preconnect, remora_seed_request and remora_seed_save do not free
 *   the user data of their remora_config. They call none of its callbacks, except on_log in remora_seed_save.
 *
 * Structures that begin with `struct_size` can grow at the end in later versions. REMORA_INIT clears such a structure
 * and sets its size; use it for options, and for structures that a function fills. A field that is 0 or NULL selects
 * its default. A program still works if it was compiled with a header that is older or newer than the library. If the
 * structure of an older program lacks a field, the library treats the field as 0, and does not write it. A larger
 * structure of a newer program is accepted if the fields that the library does not know are 0.
 *
 * Blocking. The thread "remora-engine" does the background work of a process, one job at a time. "A running job" is the
 * job that is running at the time of the call. "Blocking: no" means that the function does not wait for requests,
 * files, callbacks, other processes or jobs. It can hold a lock of the library for a moment. There is one exception, in
 * a child after fork(): the first read of a source with a storage directory picks up data that other processes have
 * stored since the fork. This read waits at most 50 ms for a running job of the child, and reads the files of the
 * source. If the job takes longer, the read returns the data that the child already has, and the next read tries again.
 * Here, a read is a call of remora_get_…, remora_key_…, remora_snapshot_acquire, remora_source_get_info,
 * remora_source_foreach, remora_namespace_foreach, remora_subscribe, remora_await[_async],
 * remora_attachment_open[_async] or remora_override_set.
 *
 * Loading. Remora loads libcurl and libcrypto when a process needs them for the first time, which takes a few
 * milliseconds. The following functions can load them, even those whose comment states "Blocking: no":
 * remora_preconnect, remora_refresh[_async], remora_await[_async], remora_sync[_async], remora_attachment_open[_async],
 * the functions that open a source if they start a refresh, and remora_seed_save for a collection.
 *
 * Processes. After fork(), the child process can call all functions, and reads work at once. The library creates new
 * threads and connections in the child when they are needed. The child must call remora_client_get_fd again. Requests,
 * waits and asynchronous calls of the parent continue in the parent only. If a subscriber has not received an event
 * before the fork, the subscriber receives the event in both processes. If a child is forked inside a callback on a
 * thread of Remora, the child must call exec or exit before the callback returns. The reason is that this thread is the
 * only thread of the child, and ends after the callback.
 *
 * Exit. While the process exits, functions that would wait or start a thread return REMORA_ERR_CLOSED. Once Remora's
 * exit handler has begun, the library calls no function of the program: no callback, visitor or free_user_data.
 * Functions that would call a visitor return REMORA_ERR_CLOSED.
 *
 * Caveats:
 * - Do not use a handle after it was closed or released, just as memory must not be used after free(). Handles may be
 *   released in any order; a client may be closed before its sources. Do not pass a returned pointer to free().
 * - Strings and values that are read from a snapshot are valid until the snapshot is released.
 * - The storage directory must be on a local file system. If another program of the same user truncates a mapped file,
 *   this process can receive SIGBUS, as with any memory-mapped database.
 * - A refresh needs up to 256 MiB of memory, plus 32 bytes for each byte of the response body. max_body_bytes of
 *   remora_config limits the body; lower it where memory is scarce. Most calls return REMORA_ERR_UNAVAILABLE when
 *   memory runs out, but the library's Swift runtime aborts the process if an allocation of the runtime fails.
 */
#ifndef REMORA_H
#define REMORA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------- version --- */
#define REMORA_VERSION_MAJOR 0
#define REMORA_VERSION_MINOR 1
#define REMORA_VERSION_PATCH 0
#define REMORA_VERSION "0.1.0"

/** Returns the version of the loaded library, "major.minor.patch". REMORA_VERSION is the version of the header. The
    string is constant, and never NULL. Thread: any. Ownership: the library keeps the string. Blocking: no. */
const char *remora_version(void);

/** Sets all bytes of a structure to 0, and its first field to struct_size. C and C++ use the macro REMORA_INIT. Does
    nothing if structure is NULL or struct_size < sizeof(size_t). Thread: any. Ownership: none. Blocking: no. */
void remora_init(void *structure, size_t struct_size);

/** Initialises a structure by its address: REMORA_INIT(&config). */
#define REMORA_INIT(structure) remora_init((structure), sizeof *(structure))

/* --------------------------------------------------------------- types --- */
typedef int32_t remora_bool;   /**< 0 or 1; any other number is an invalid argument. */
typedef uint32_t remora_flags; /**< Flags of a function, combined with |; an unknown bit is an invalid argument. */

/* -------------------------------------------------------------- errors --- */
/** The result of a call: REMORA_OK, or a negative code. The hundreds of a code identify its family: codes from -1 to
    -99 belong to family 0, codes from -100 to -199 to family 1, and so on. Comments of functions name families, such as
    "network errors". They name a single code only if it needs an explanation. In a program, compare the code or its
    family, not the message. Later versions can add codes and families, so a program must accept unknown ones.
    docs/errors.md has advice for each code.

    Comments of functions omit REMORA_ERR_INVALID_ARGUMENT, REMORA_ERR_CLOSED, REMORA_ERR_UNAVAILABLE and
    REMORA_ERR_INTERNAL, because nearly every function can return them. Functions that take only snapshots, values or
    attachments do not return REMORA_ERR_CLOSED. REMORA_ERR_UNAVAILABLE means that memory has run out. Functions that
    start a thread or a request also return this code if no thread, file descriptor, libcurl or libcrypto is available.
    @code
    if (remora_status_family(error.status) == REMORA_FAMILY_NETWORK) refresh_in(error.retry_after_ms);
    @endcode */
typedef int32_t remora_status;
typedef int32_t remora_family; /**< REMORA_FAMILY_…, or a family of a later version. */

#define REMORA_OK 0

#define REMORA_FAMILY_CALL 0             /**< The call is wrong or was cancelled, a value does not exist, a time limit
                                              expired, or the client or source is closed; see each code. */
#define REMORA_ERR_INVALID_ARGUMENT (-1) /**< An argument is NULL, malformed or out of range; the call had no effect. */
#define REMORA_ERR_NOT_FOUND (-2)        /**< The key, member or element does not exist, or is null. */
#define REMORA_ERR_WRONG_TYPE (-3)       /**< The value has another type, or cannot be converted exactly. */
#define REMORA_ERR_TIMEOUT (-4)          /**< The timeout that the caller passed has expired. */
#define REMORA_ERR_CANCELLED (-5)        /**< The call was cancelled by remora_request_cancel or remora_reset. */
#define REMORA_ERR_CLOSED (-6)           /**< The client or source is closed, or the process is exiting. */
#define REMORA_ERR_BUSY (-7)             /**< Another call of remora_dispatch is running for this client. */

#define REMORA_FAMILY_NETWORK 1    /**< "Network errors": no usable response. Retry later; see retry_after_ms. */
#define REMORA_ERR_NETWORK (-100)  /**< The connection failed or was lost, or a timeout of remora_config expired. */
#define REMORA_ERR_TLS (-101)      /**< The TLS handshake failed, or the server's certificate is not trusted. */
#define REMORA_ERR_HTTP (-102)     /**< The server returned an HTTP error, such as 404; see http_status. */
#define REMORA_ERR_REDIRECT (-103) /**< Too many redirects, or a redirect to a URL that is not allowed. */
#define REMORA_ERR_BACKOFF (-104)  /**< The server asked clients to wait, so no request was sent; see retry_after_ms. */

#define REMORA_FAMILY_DOCUMENT 2    /**< "Document errors": a document is unusable. The last good data stays in use. */
#define REMORA_ERR_PARSE (-200)     /**< The document is not JSON, or exceeds a limit that docs/errors.md lists. */
#define REMORA_ERR_FORMAT (-201)    /**< The document is JSON, but does not have the form that the protocol requires. */
#define REMORA_ERR_TOO_LARGE (-202) /**< A body, header or document exceeds its limit. */

#define REMORA_FAMILY_TRUST 3                 /**< "Trust errors": the verification of a signature, certificate chain or
                                                   hash has failed. The last good data stays in use. */
#define REMORA_ERR_SIGNATURE_MISSING (-300)   /**< The response has no signature of the supported mode (p384ecdsa). */
#define REMORA_ERR_SIGNATURE_MALFORMED (-301) /**< The signature is not base64url, or not 96 bytes long. */
#define REMORA_ERR_SIGNATURE_MISMATCH (-302)  /**< The records or the timestamp differ from the signed ones. */
#define REMORA_ERR_CHAIN_MALFORMED (-303)     /**< The certificate chain is not in PEM form, or is too long. */
#define REMORA_ERR_CHAIN_INVALID (-304)       /**< A signature, key usage or name constraint in the chain is invalid. */
#define REMORA_ERR_CHAIN_LOCATION (-305)      /**< The certificate chain's URL (x5u) is not https or not trusted. */
#define REMORA_ERR_CERTIFICATE_EXPIRED (-306) /**< A certificate has expired or is not yet valid. */
#define REMORA_ERR_CERTIFICATE_SUBJECT (-307) /**< The leaf certificate does not contain the expected DNS name. */
#define REMORA_ERR_ROOT_MISMATCH (-308)       /**< The SHA-256 of the root certificate is not the expected one. */
#define REMORA_ERR_ATTACHMENT_MISMATCH (-309) /**< The size or SHA-256 of an attachment differs from its record. */

#define REMORA_FAMILY_FRESHNESS 4      /**< "Freshness errors": the document is genuine, but its timestamp is not
                                            acceptable. The last good data stays in use. */
#define REMORA_ERR_FUTURE (-400)       /**< The timestamp is further in the future than max_future_ms allows. */
#define REMORA_ERR_EQUIVOCATION (-401) /**< The content differs from accepted content with the same timestamp. */

#define REMORA_FAMILY_STORAGE 5      /**< "Storage errors": the storage directory is unusable, or a file is damaged. */
#define REMORA_ERR_STORAGE (-500)    /**< A system call failed, or another client or process locked a file too long. */
#define REMORA_ERR_PERMISSION (-501) /**< A file or directory is owned by another user, or writable for other users. */
#define REMORA_ERR_CORRUPT (-502)    /**< A stored source or attachment is damaged, or was changed while in use. */

#define REMORA_FAMILY_SYSTEM 6        /**< "System errors": a system resource is missing, or Remora has a bug. */
#define REMORA_ERR_UNAVAILABLE (-600) /**< libcurl, libcrypto, a thread, a descriptor or memory is not available. */
#define REMORA_ERR_INTERNAL (-601)    /**< A bug in the library. Please report it. */

/** Details of a failure. The caller provides the memory, 512 bytes. All bytes are 0 if there is no failure. */
typedef struct remora_error {
  remora_status status;   /**< The status that the function returned. */
  int32_t http_status;    /**< The HTTP status; 0 if no response arrived. */
  int64_t retry_after_ms; /**< Time to wait before a retry, in milliseconds; 0 if unknown. */
  char source_name[112];  /**< The name of the source, as in remora_source_info; "" if the failure concerns no single
                               source. NUL-terminated; a longer name is truncated. */
  char message[384];      /**< A sentence that describes the failure. NUL-terminated, and truncated if too long. */
} remora_error;

/** Returns the name of a status, such as "REMORA_ERR_NOT_FOUND"; "REMORA_ERR_UNKNOWN" for an unknown number. The string
    is constant, and never NULL. Thread: any. Ownership: the library keeps the string. Blocking: no. */
const char *remora_status_name(remora_status status);

/** Returns the family of a status. Statuses of later versions have a family too. The family of REMORA_OK, and of
    positive numbers (no function returns them), is REMORA_FAMILY_CALL. Thread: any. Ownership: none. Blocking: no. */
remora_family remora_status_family(remora_status status);

/* ------------------------------------------------------------- handles --- */
/* Handles: pointers to objects of the library. */
typedef struct remora_client remora_client;             /**< Opens sources; closed by remora_client_close. */
typedef struct remora_source remora_source;             /**< Settings to fetch; closed by remora_source_close. */
typedef struct remora_snapshot remora_snapshot;         /**< A source's version; released by remora_snapshot_release. */
typedef struct remora_key remora_key;                   /**< A frequently read value; released by remora_key_release. */
typedef struct remora_subscription remora_subscription; /**< A registered callback; ended by remora_unsubscribe. */
typedef struct remora_attachment remora_attachment;     /**< A verified file; released by remora_attachment_release. */
typedef struct remora_request remora_request;           /**< An async call; released by remora_request_release. */

/* ------------------------------------------------------- enumerations --- */
/* The kinds of sources. */
typedef int32_t remora_source_kind;
#define REMORA_KIND_COLLECTION 1
#define REMORA_KIND_BUNDLE 2
#define REMORA_KIND_SETTINGS 3

/* The origin of a value or a snapshot. */
typedef int32_t remora_origin;
#define REMORA_ORIGIN_NONE 0     /**< No data: nothing was fetched or packaged. */
#define REMORA_ORIGIN_DEFAULT 1  /**< The default bundle: default_bundle of remora_bundle_options. */
#define REMORA_ORIGIN_PACKAGED 2 /**< Packaged data, which is shipped with the program. */
#define REMORA_ORIGIN_CACHED 3   /**< Read from storage: an earlier client or process fetched it, or it is a seed. */
#define REMORA_ORIGIN_FETCHED 4  /**< Since this client was created, a process fetched the data or revalidated it. */
#define REMORA_ORIGIN_OVERRIDE 5 /**< Only for a key: its value, or a part of the value, is an override. */

/* The outcome of a refresh. The status of the refresh is REMORA_OK for UPDATED, UNCHANGED, NOT_NEWER and STAGED. */
typedef int32_t remora_outcome;
#define REMORA_OUTCOME_NONE 0
#define REMORA_OUTCOME_UPDATED 1   /**< A new version is live: reads return it. */
#define REMORA_OUTCOME_UNCHANGED 2 /**< The server has no version that is newer than the current one. */
#define REMORA_OUTCOME_NOT_NEWER 3 /**< The response was not used: its version is lower than the current version (for a
                                        bundle: not higher than the current version). */
#define REMORA_OUTCOME_STAGED 4    /**< A new version is stored, but reads do not return it until it is activated. */
#define REMORA_OUTCOME_REFUSED 5   /**< A response arrived, but it failed a check and is not used. */
#define REMORA_OUTCOME_FAILED 6    /**< No usable response arrived, or it exceeds a limit (REMORA_ERR_TOO_LARGE). */

/* The reason for an event. */
typedef int32_t remora_cause;
#define REMORA_CAUSE_OPENED 1    /**< The first event of a subscriber. For on_event: the state at the opening of the
                                      source. With REMORA_SUBSCRIBE_REPLAY: the state at the registration. */
#define REMORA_CAUSE_REFRESHED 2 /**< A refresh of this client has completed. The request may have been sent by another
                                      client or process. */
#define REMORA_CAUSE_ADOPTED 3   /**< Data that another client or process fetched was read from storage. No refresh of
                                      this client was waiting for the data. */
#define REMORA_CAUSE_RESET 4     /**< remora_reset has deleted the fetched data. */
#define REMORA_CAUSE_CONTEXT 5   /**< remora_set_context has changed which records the filters hide. */
#define REMORA_CAUSE_OVERRIDE 6  /**< An override was set or cleared. */
#define REMORA_CAUSE_ACTIVATED 7 /**< remora_activate has made a staged version live. */

/** Returns the name of an origin, outcome or cause, such as "fetched", "updated" or "refreshed"; "unknown" for an
    unknown number. The string is constant, never NULL. Thread: any. Ownership: the library keeps it. Blocking: no. */
const char *remora_origin_name(remora_origin origin);
const char *remora_outcome_name(remora_outcome outcome);
const char *remora_cause_name(remora_cause cause);

/* ------------------------------------------------- transport and clock --- */
/** A request that the program sends instead of libcurl; see remora_transport. Valid during the callback. */
typedef struct remora_http_request {
  size_t struct_size;         /**< Size in bytes, set by the library. */
  int64_t id;                 /**< Identifies the request in remora_respond. Greater than 0, and unique in the process
                                   and its forked children. */
  const char *method;         /**< "GET" or "POST". The body is always empty. */
  const char *url;            /**< An absolute http or https URL. */
  const char *const *headers; /**< NULL-terminated array of "Name: value". */
} remora_http_request;

/** Sends a request of a client that has a remora_transport. The callback must return at once, because all requests of
    the process wait for it. The program must answer each request by one call of remora_respond, inside the callback or
    later, from any thread. Redirects must not be followed: Remora checks their targets and sends new requests.
    Thread: the thread "remora-engine", with no lock held. */
typedef void (*remora_send_callback)(const remora_http_request *request, void *user_data);

/** Called when the result of a sent request is no longer needed, so that the program can abort the request. The reason
    is a timeout, a cancelled call or a closed source. From then on, remora_respond returns REMORA_ERR_NOT_FOUND for
    this request. The callback is not called for requests of a closed client: free_user_data of remora_transport is
    called instead. Thread: the thread "remora-engine", with no lock held. */
typedef void (*remora_cancel_callback)(int64_t request_id, void *user_data);

/** The functions with which the program sends the requests of a client, instead of libcurl. Use a transport in tests,
    or if the program must use another HTTP library. Remora still handles size limits, total_timeout_ms, redirects,
    conditional requests, backoffs (pauses that servers request) and the verification of signatures. Whenever a client
    with a transport is created, it logs the warning that requests are not sent by libcurl. The client ignores proxy,
    ca_file, connect_timeout_ms and stall_timeout_ms of remora_config. In a forked child, its requests fail with
    REMORA_ERR_UNAVAILABLE, so the child must create a new client. See docs/testing.md. */
typedef struct remora_transport {
  size_t struct_size;            /**< Set by REMORA_INIT. */
  remora_send_callback send;     /**< Required. */
  remora_cancel_callback cancel; /**< Default none. */
  void *user_data;               /**< Passed to both callbacks. */
  void (*free_user_data)(void *);
} remora_transport;

/** The program's answer to a request, for remora_respond: a response of the server, or a failure. */
typedef struct remora_http_response {
  size_t struct_size;         /**< Set by REMORA_INIT. */
  remora_status failure;      /**< If a response arrived, REMORA_OK. If no response arrived, REMORA_ERR_NETWORK or
                                   REMORA_ERR_TLS; the request then fails with this status. */
  int32_t http_status;        /**< HTTP status, 200 to 599; 0 for a failure. */
  const char *message;        /**< Describes a failure; default "the program's transport failed". */
  const char *const *headers; /**< NULL-terminated array of "Name: value"; default none. Content-Encoding,
                                   Content-Length and Transfer-Encoding are ignored. */
  const void *body;           /**< The body, after all content encodings were decoded. NULL if body_size is 0. */
  size_t body_size;           /**< Size of the body in bytes. */
} remora_http_response;

/** Answers a request that a remora_send_callback has received. The response is copied, and is processed on the thread
    "remora-engine". A response that exceeds a limit is accepted, but the refresh then fails with REMORA_ERR_TOO_LARGE.
    @code
    remora_http_response response;
    REMORA_INIT(&response);
    response.http_status = 200;
    response.body = "{}";
    response.body_size = 2;
    remora_respond(request->id, &response, NULL);
    @endcode
    @return REMORA_ERR_NOT_FOUND if no request with this id waits for an answer; the call then has no effect. For
            example, the request was already answered or cancelled, it timed out, its client was closed, or the parent
            of this process sent it. If the response is malformed, the function returns REMORA_ERR_INVALID_ARGUMENT, and
            the request still waits for an answer.
    Thread: any. Ownership: none. Blocking: no. */
remora_status remora_respond(int64_t request_id, const remora_http_response *response, remora_error *error);

/** Called to read a clock that the program supplies; see remora_clock.
    @param out_wall_ms      Receives the wall-clock time in milliseconds since 1970 (UTC).
    @param out_monotonic_ms Receives a time in milliseconds from an arbitrary start, which must never decrease. A number
                            that is less than the previous one is ignored: the previous one is used again.
    Thread: the thread that calls remora_setup or remora_clock_changed, with no lock held. */
typedef void (*remora_clock_callback)(int64_t *out_wall_ms, int64_t *out_monotonic_ms, void *user_data);

/** A clock that the program supplies. It replaces the machine's clocks for one client. Use such a clock in tests, or if
    the machine's time is wrong and the program knows a better one.

    The client reads the clock in remora_setup and remora_clock_changed. Between these calls, the client's time does not
    change. The wall time is used for freshness, schedules, backoffs and the validity of certificates. The monotonic
    time is used for timeouts: timeout_ms of calls, and total_timeout_ms of requests that a remora_transport sends. The
    machine's clocks still measure libcurl's timeouts, the time spent waiting for other processes, and duration_ms of
    remora_attempt. All clients of one storage directory should use the same time. A client with such a clock logs a
    warning when it is created. */
typedef struct remora_clock {
  size_t struct_size;         /**< Set by REMORA_INIT. */
  remora_clock_callback read; /**< Required. */
  void *user_data;
  void (*free_user_data)(void *);
} remora_clock;

/** Makes all clients of the process read their remora_clock (a clock that the program supplies). Call this function
    when the time of such a clock has changed. The clocks are read before the function returns. As a result, waiting
    calls end if their timeouts have expired, and refreshes start if they are due. The thread "remora-engine" may still
    be doing this work after the function has returned. If no client has a remora_clock, the function does nothing.
    @code
    test_time_ms += 3600 * 1000;
    remora_clock_changed();
    @endcode
    Thread: any. Ownership: none. Blocking: waits for file access and a running job of the thread "remora-engine". */
void remora_clock_changed(void);

/* ----------------------------------------------------------- lifecycle --- */
/* Log levels. If log_level is L, on_log receives the lines of levels 1 to L. */
typedef int32_t remora_log_level;
#define REMORA_LOG_ERROR 1
#define REMORA_LOG_WARNING 2
#define REMORA_LOG_INFO 3
#define REMORA_LOG_DEBUG 4

/** A log line, valid during the callback. */
typedef struct remora_log_entry {
  size_t struct_size;      /**< Size in bytes, set by the library. */
  remora_log_level level;  /**< REMORA_LOG_ERROR to REMORA_LOG_DEBUG. */
  remora_source_kind kind; /**< REMORA_KIND_…; 0 if the line concerns no single source. */
  const char *source_name; /**< The name, as in remora_source_info; NULL if the line concerns no single source. */
  const char *message;     /**< One line without control characters. It begins with the kind and name of the source,
                                such as "collection main/regions: …". */
} remora_log_entry;

/** Receives log lines. While 1,000 callback calls are queued, new log lines are dropped.
    Thread: the client's thread "remora-events", or the thread that calls remora_dispatch; see remora_callback_mode. */
typedef void (*remora_log_callback)(const remora_log_entry *entry, void *user_data);

/** A completed attempt to refresh a source, valid during the callback. */
typedef struct remora_attempt {
  size_t struct_size;        /**< Size in bytes, set by the library. */
  const char *source_name;   /**< Name of the source; "monitor/changes" for a server's list of collections. */
  const char *server;        /**< Address of the server; see server of remora_source_info. */
  remora_source_kind kind;   /**< REMORA_KIND_…; REMORA_KIND_COLLECTION for "monitor/changes". */
  remora_outcome outcome;    /**< REMORA_OUTCOME_…; UPDATED for a successful fetch of a server's list of collections. */
  remora_status status;      /**< REMORA_OK if the outcome is UPDATED, UNCHANGED, NOT_NEWER or STAGED. */
  int32_t http_status;       /**< HTTP status of the last request; 0 if no response arrived. */
  int64_t duration_ms;       /**< Duration of the attempt; 0 if a sync found the source unchanged without a request. */
  int64_t bytes;             /**< Size of all response bodies in bytes, after decompression. */
  const remora_error *error; /**< Details; NULL if status is REMORA_OK. */
} remora_attempt;

/** Receives the outcome and cost (time and bytes) of each refresh attempt, for telemetry. Attempts without a request
    are reported too: refreshes that fail because the server asked clients to wait (REMORA_ERR_BACKOFF), and collections
    that a sync finds unchanged in the server's list. Cancelled attempts, and refreshes that another process performed,
    are not reported. While 1,000 callback calls are queued, new reports are dropped.
    Thread: the thread of event callbacks. Called after the events of the refresh, and before its result callback. */
typedef void (*remora_attempt_callback)(const remora_attempt *attempt, void *user_data);

/* The threads on which callbacks run. */
typedef int32_t remora_callback_mode;
#define REMORA_CALLBACKS_ON_THREAD 0   /**< Callbacks run on the client's thread "remora-events". The default. */
#define REMORA_CALLBACKS_ON_DISPATCH 1 /**< Callbacks run inside remora_dispatch, on the calling thread. For queued log
                                            lines, on_log is also called inside remora_client_close. */

#define REMORA_SERVER_PROD "prod"   /**< Mozilla's production server. */
#define REMORA_SERVER_STAGE "stage" /**< Mozilla's staging server. */
#define REMORA_SERVER_DEV "dev"     /**< Mozilla's development server. */

/** A storage_dir that keeps everything in memory: nothing is stored, and nothing is shared with other processes. */
#define REMORA_STORAGE_MEMORY ":memory:"

/** The configuration of a client. */
typedef struct remora_config {
  size_t struct_size;               /**< Set by REMORA_INIT. */
  const char *storage_dir;          /**< Directory for all stored data, or REMORA_STORAGE_MEMORY. Required. If it does
                                         not exist, it is created with its parents (mode 0700 less the umask). */
  const char *application_name;     /**< Sent in the default User-Agent header; default "unknown". */
  const char *application_version;  /**< Sent in the default User-Agent header; default "0". */
  const char *application_build;    /**< Sent in the default User-Agent header; default: omitted. */
  const char *server;               /**< Server of collections: REMORA_SERVER_PROD, _STAGE or _DEV, or an http or https
                                         URL without query; default REMORA_SERVER_PROD. A URL that ends in /v1 or /v2 is
                                         used unchanged; /v2 is appended to any other URL. */
  const char *bucket;               /**< Name of the bucket that contains the collections; default "main". */
  const char *proxy;                /**< Proxy URL in the syntax of libcurl; default none. Environment variables are not
                                         read. */
  const char *ca_file;              /**< PEM file of trusted root certificates for TLS; default: libcurl's file. */
  const char *const *headers;       /**< NULL-terminated array of "Name: value", sent with every request to the source's
                                         server, but not to other hosts, such as attachment hosts; default none. */
  const char *user_agent;           /**< Value of the User-Agent header; replaces the default. */
  int64_t connect_timeout_ms;       /**< Time limit for connecting to a server; default 10,000. */
  int64_t stall_timeout_ms;         /**< Transfers slower than 100 bytes/s for this time are aborted; default 30,000. */
  int64_t total_timeout_ms;         /**< Time limit for a whole request; default 120,000. A process sends at most eight
                                         requests at a time to a server; the time that others wait counts. */
  int64_t max_body_bytes;           /**< Size limit of a decompressed response body; default 16 MiB, at most 256 MiB. */
  remora_log_level log_level;       /**< on_log receives lines of levels 1 to this level; default REMORA_LOG_WARNING. */
  remora_callback_mode callbacks;   /**< REMORA_CALLBACKS_ON_THREAD or REMORA_CALLBACKS_ON_DISPATCH. */
  remora_log_callback on_log;       /**< Called with log lines; default none. The library itself never prints. */
  void *on_log_user_data;
  void (*on_log_free_user_data)(void *);
  remora_attempt_callback on_attempt; /**< Reports outcome, duration and bytes of each refresh attempt; default none. */
  void *on_attempt_user_data;
  void (*on_attempt_free_user_data)(void *);
  const remora_transport *transport; /**< Sends the requests instead of libcurl; default NULL: libcurl. */
  const remora_clock *clock;         /**< Clock of the client; default NULL: the machine's clocks. */
} remora_config;

/** Creates a client. A client owns a storage directory, its network settings and its sources. Most programs create one
    at start. This function sends no request and starts no thread. If the storage directory cannot be written, belongs to
    another user or is writable for all users, the client keeps its data in memory. In this case, the log, events and
    remora_source_get_info report the storage error.
    @return REMORA_OK, even if the client keeps its data in memory. REMORA_ERR_STORAGE if storage_dir is not a directory.
    Thread: any. Ownership: the caller closes the client. Blocking: waits for file system calls. */
remora_status remora_setup(const remora_config *config, remora_client **out_client, remora_error *error);

/** Closes a client. Requests are aborted within 200 ms, and waiting calls return REMORA_ERR_CLOSED. After the close, no
    callback starts. free_user_data is called for each user_data.

    Log lines that are queued are delivered before the function returns: on the thread "remora-events", or on the
    calling thread with REMORA_CALLBACKS_ON_DISPATCH. Queued events, reports for on_attempt and results of asynchronous
    calls are dropped. If the function is called inside a callback of any client, it returns at once, and the close
    completes when that callback returns. In this case, queued log lines are dropped too.

    Handles of the client stay valid until they are closed or released. Calls with its sources return REMORA_ERR_CLOSED,
    and getters return their default. Snapshots and attachments remain readable.
    Thread: any. Ownership: consumes the client. Blocking: waits for a callback of this client that runs on another
    thread, for the callbacks of queued log lines, and at most 200 ms for requests. */
void remora_client_close(remora_client *client);

/** Opens a connection before it is needed. One GET request is sent in the background, and the connection is kept for
    the next request of any client to the same scheme, host and port. Use this function at the start of a program, even
    before remora_setup. Any HTTP status (usually 204) and any body of at most 64 KiB is accepted. Each open client logs
    the result. If no client is open, the next one logs it. A failure is logged as a warning. See docs/refreshing.md.
    @code
    remora_preconnect(&config, "https://settings.example/app", NULL, NULL);
    @endcode
    @param config   The configuration. Only application_name (required here), proxy, ca_file, user_agent,
                    connect_timeout_ms and total_timeout_ms (default 30,000) are used. Only clients with the same proxy
                    and ca_file use the connection. If transport is set, REMORA_OK is returned without a request.
    @param url      An http or https URL without a fragment, of at most 8,192 bytes. The query items "app"
                    (application_name) and "platform" are added to it.
    @param platform The value of the query item "platform"; NULL means "linux".
    @return REMORA_OK if the request was started. Thread: any. Ownership: none. Blocking: no. */
remora_status remora_preconnect(const remora_config *config, const char *url, const char *platform,
                                remora_error *error);

/* -------------------------------------------------------------- events --- */
/* The kind of change of a key. */
typedef int32_t remora_change_kind;
#define REMORA_CHANGE_CREATED 1
#define REMORA_CHANGE_UPDATED 2
#define REMORA_CHANGE_DELETED 3

/** A value inside a snapshot. It consists of two pointers, is passed by value, and is valid as long as the snapshot.
    The members are private. {NULL, NULL} is the empty value, whose type is REMORA_TYPE_NONE. */
typedef struct remora_value {
  const void *node;
  const void *region;
} remora_value;

/** A changed key, valid during the callback. */
typedef struct remora_change {
  remora_change_kind kind; /**< REMORA_CHANGE_CREATED, _UPDATED or _DELETED. */
  remora_origin origin;    /**< REMORA_ORIGIN_… of the new value; REMORA_ORIGIN_NONE if the key was deleted. */
  const char *key;         /**< NUL-terminated. */
  size_t key_length;       /**< In bytes, without the NUL. */
  remora_value old_value;  /**< The empty value if the key was created. */
  remora_value new_value;  /**< The empty value if the key was deleted. */
} remora_change;

/** An A/B experiment of settings; see remora_experiment_find. Valid as long as its snapshot. Lengths are in bytes. */
typedef struct remora_experiment {
  const char *name;      /**< NUL-terminated; not empty. */
  size_t name_length;
  const char *variant;   /**< NUL-terminated; "" if the server sent no variant. */
  size_t variant_length;
  double trackable;      /**< Number that the server sent; Remora only passes it on. 0 if the server sent none. */
  remora_value settings; /**< The keys that the experiment affects: an array of strings, or the empty value. */
} remora_experiment;

/** An event of a source, valid during the callback. */
typedef struct remora_event {
  size_t struct_size;      /**< Size in bytes, set by the library. */
  remora_source *source;   /**< The source handle with which the callback was registered; never NULL. Use it in
                                on_event, which can run before the opening call returns. Do not close it in on_event. */
  const char *source_name; /**< Name of the source, as in remora_source_info. */
  remora_source_kind kind; /**< REMORA_KIND_… of the source. */
  remora_cause cause;      /**< The reason for the event, REMORA_CAUSE_… */
  remora_outcome outcome;  /**< For cause REFRESHED, the outcome of the refresh. For another cause: STAGED if the event
                                reports a version that was stored but is not live yet, otherwise NONE. */
  remora_origin origin;    /**< REMORA_ORIGIN_… of new_snapshot. */
  int64_t version;         /**< Version of new_snapshot, as in remora_snapshot_info; 0 if it has no version. */
  const remora_change *changes; /**< The changed keys, sorted. A subscriber of a key receives only that key. */
  size_t change_count;          /**< Number of changed keys; always 0 for cause OPENED. */
  const remora_snapshot *old_snapshot;      /**< Snapshot that was live (used by reads) before the event; never NULL. */
  const remora_snapshot *new_snapshot;      /**< Snapshot that is live (used by reads) after the event; never NULL. */
  const remora_snapshot *staged_snapshot;   /**< In every event: the version stored but not live yet; NULL if none. */
  const remora_experiment *new_experiments; /**< Experiments of new_snapshot that the previous live data did not
                                                 contain, or contained with another variant. Each experiment is reported
                                                 once; see docs/settings.md. NULL if there are none, and for subscribers
                                                 of a key. */
  size_t new_experiment_count;
  const remora_error *error;                /**< The reason if outcome is REFUSED or FAILED; otherwise NULL. */
  const remora_error *storage_error;        /**< The last storage failure, such as a full disk; NULL if none. */
} remora_event;

/** Receives events. A callback may call every function, including remora_unsubscribe and remora_client_close. The
    callback must return, and must not throw or call longjmp.
    Thread: the client's thread "remora-events", or the thread that calls remora_dispatch. The callbacks of a client run
    one at a time, in the order of the events. The library holds no lock during the call.
    @code
    static void on_change(const remora_event *event, void *user_data) {
      (void)user_data;
      for (size_t i = 0; i < event->change_count; i++) printf("%s: %s\n", event->source_name, event->changes[i].key);
    }
    @endcode */
typedef void (*remora_event_callback)(const remora_event *event, void *user_data);

/* ------------------------------------------------------------- sources --- */
/* When a fetched version becomes live, that is, when reads return the version. See docs/activation.md. */
typedef int32_t remora_activation;
#define REMORA_ACTIVATION_DEFAULT 0    /**< NEXT_SETUP for settings whose `tag` is NULL; IMMEDIATE for other sources. */
#define REMORA_ACTIVATION_IMMEDIATE 1  /**< The version becomes live at once. */
#define REMORA_ACTIVATION_NEXT_SETUP 2 /**< The version becomes live when the source is opened again (by a later client,
                                            or after its last handle was closed), or when remora_activate is called. */
#define REMORA_ACTIVATION_MANUAL 3     /**< Only remora_activate makes the version live; a restart does not. */

/* Whether opening a source starts a refresh in the background. */
typedef int32_t remora_first_fetch;
#define REMORA_FIRST_FETCH_DEFAULT 0    /**< AT_OPEN for settings, and for bundles with a url; otherwise ON_REQUEST. */
#define REMORA_FIRST_FETCH_AT_OPEN 1    /**< Each opening of the source starts a refresh in the background. */
#define REMORA_FIRST_FETCH_ON_REQUEST 2 /**< Opening sends no request. The first request is sent by remora_refresh,
                                             remora_await or remora_sync, or when refresh_interval_ms has passed. */

/** Options for sources of every kind. */
typedef struct remora_source_options {
  size_t struct_size;             /**< Set by REMORA_INIT. */
  remora_first_fetch first_fetch; /**< REMORA_FIRST_FETCH_…; AT_OPEN is an invalid argument for a bundle without url. */
  remora_bool persist_overrides;  /**< If 1, overrides are stored, and restored at the next opening; default 0. */
  int64_t refresh_interval_ms;    /**< Interval of refreshes in the background, at least 1,000. If 0 (the default) or
                                       -1, it is off. docs/refreshing.md explains when these refreshes start. */
  remora_event_callback on_event; /**< Callback that is subscribed during the opening; default none. The first event
                                       reports the state at the opening. A bundle with neither cached nor default data
                                       has no such event. Later events report refreshes and all changes. */
  void *on_event_user_data;
  void (*on_event_free_user_data)(void *);
} remora_source_options;

typedef int32_t remora_trust;
#define REMORA_TRUST_REQUIRED 0 /**< The signature and its certificate chain must be valid. The default. */
#define REMORA_TRUST_OFF 1      /**< Nothing is verified; for servers that do not sign their data. */

/** A collection of a Remote Settings server, and how it is verified. */
typedef struct remora_collection_options {
  size_t struct_size;               /**< Set by REMORA_INIT. */
  const char *name;                 /**< Name of the form [A-Za-z0-9_-]{1,128}, not starting with '-'. Required. */
  const char *bucket;               /**< Name of the bucket, same form as `name`; default: the bucket of the client. */
  const char *server;               /**< Server of the collection, as in remora_config; default: the client's server. */
  const char *root_sha256;          /**< SHA-256 of the root certificate (in DER form) of the signers: 64 hexadecimal
                                         digits, colons allowed. Default: the production root for REMORA_SERVER_PROD,
                                         otherwise the root of Mozilla's stage and development servers. */
  const char *signer;               /**< DNS name that the leaf certificate must contain. Default:
                                         "onecrl.content-signature.mozilla.org" if the name of the bucket contains
                                         "security-state", else "remote-settings.content-signature.mozilla.org". */
  remora_trust trust;               /**< REMORA_TRUST_REQUIRED or REMORA_TRUST_OFF. */
  remora_activation activation;     /**< REMORA_ACTIVATION_…; default IMMEDIATE. */
  const char *const *previous_roots; /**< NULL-terminated array of at most 8 earlier values of root_sha256. Data that
                                          was stored with one of them stays readable until the first fetch with the
                                          current root. Default none. See docs/trust.md. */
  const char *const *trusted_hosts; /**< NULL-terminated array of hosts from which certificate chains may be downloaded,
                                         besides the server's host. Form: "host" or "host:port". */
  int64_t max_future_ms;            /**< How far in the future the timestamp of fetched data may be; default 24 h, -1:
                                         no limit. Data with a later timestamp is refused (REMORA_ERR_FUTURE). */
  const char *packaged_file;        /**< JSON file with packaged data: {"data": [records], "timestamp": N}, each record
                                         with an "id" and an integer "last_modified"; default none. The file can also
                                         have a member "metadata". If an element of metadata.signatures has a PEM
                                         certificate chain in its member "chain", the first refresh or sync verifies the
                                         packaged data with this chain, without a request; see docs/trust.md. */
  const char *packaged_data;        /**< Packaged data in memory; must be NULL if packaged_file is set. */
  size_t packaged_size;             /**< Size of packaged_data in bytes. */
  const char *packaged_attachments; /**< Folder of packaged attachments; the name of each file is the id of its record;
                                         default none. See docs/attachments.md. */
} remora_collection_options;

/** Opens a collection of a Remote Settings server. Reads then return the newest local data: cached data, packaged data
    (shipped with the program) or a seed (saved by an installer), whichever has the highest timestamp. By default no
    request is sent: call remora_refresh, or set first_fetch or refresh_interval_ms.

    A collection is identified by server, bucket, name, trust, root_sha256 and signer. If the client has the collection
    open already, the new handle refers to the same source. Only first_fetch and on_event of the new call are then used;
    the other options of the first opening stay in effect. A warning in the log names the options that differ.

    - Activation: if an earlier client stored a newer version without making it live (a staged version), this version
      becomes live now. If activation is MANUAL, the version stays staged.
    - Root rotation: if no data was stored with the current root_sha256, the newest data that was stored with one of
      previous_roots is used. Fetched data must not have a lower timestamp than any data accepted with previous_roots.
    - Damaged cache: the opening succeeds. The log and remora_source_get_info report the damage, and the next refresh
      replaces the cache.
    @return REMORA_OK, even if the refresh for first_fetch cannot start: the refresh is then reported as failed. If the
            packaged data (at most 256 MiB) cannot be used, the result is REMORA_ERR_STORAGE, _PARSE, _FORMAT or
            _TOO_LARGE.
    Thread: any. Ownership: the caller closes the source. Blocking: waits for file system calls; if a staged version
    becomes live, also waits for a running job of the thread "remora-engine". */
remora_status remora_open_collection(remora_client *client, const remora_collection_options *collection,
                                     const remora_source_options *options, remora_source **out_source,
                                     remora_error *error);

/** Closes a source handle. Its subscriptions and asynchronous calls end without a further callback; release their
    handles with remora_unsubscribe and remora_request_release. Snapshots and attachments that were opened with the
    handle remain readable. The source itself is closed when its last handle is closed.
    Thread: any, but no other thread may use this handle during the call. Ownership: consumes the handle. Blocking:
    waits for a callback of this handle that is running on another thread. */
void remora_source_close(remora_source *source);

/** The state of a source. */
typedef struct remora_source_info {
  size_t struct_size;         /**< Set by REMORA_INIT. */
  const char *name;           /**< For a collection, bucket and name, such as "main/regions". For settings, the URL
                                   without query, then "#" and `tag` if set. For a bundle, the URL without query, or
                                   "without a URL"; if the option `name` is set, a space and this name follow. */
  const char *server;         /**< For a collection, the base URL of the server, which ends in /v1 or /v2. Otherwise the
                                   URL's scheme, host and port; "" for a bundle without url. */
  remora_source_kind kind;    /**< REMORA_KIND_… */
  remora_origin origin;       /**< REMORA_ORIGIN_… of the live snapshot, which reads use. */
  remora_bool has_staged;     /**< 1 if a version is stored that is not live yet, so reads do not return it. */
  int32_t filter_failures;    /**< Number of records that are hidden because their filter_expression could not be
                                   evaluated; see the log. */
  int64_t version;            /**< Version of the live snapshot, as in remora_snapshot_info; 0: no version. */
  int64_t fetched_at_ms;      /**< Time at which the live data was fetched. */
  int64_t checked_at_ms;      /**< Time of the last successful refresh, by any process. */
  int64_t checked_age_ms;     /**< Time since checked_at_ms; -1 if no refresh has succeeded. */
  int64_t attempted_at_ms;    /**< Time of the last refresh attempt, by any process. */
  int64_t retry_after_ms;     /**< Remaining time of the pause that the server requested; 0 if there is no pause. */
  uint64_t generation;        /**< A number that increases each time a version of this source is stored. */
  remora_error last_error;    /**< Failure of the last refresh; status REMORA_OK if the refresh succeeded. */
  remora_error storage_error; /**< The last failure to read or write a file of the source in the storage directory;
                                   status REMORA_OK if there was none, or if a later access succeeded. */
} remora_source_info;

/** Reads the state of a source.
    @code
    remora_source_info info;
    REMORA_INIT(&info);
    if (remora_source_get_info(source, &info, &error) == REMORA_OK)
      printf("%s: version %lld, from %s\n", info.name, (long long)info.version, remora_origin_name(info.origin));
    @endcode
    Thread: any. Ownership: name and server are valid until the handle is closed. Blocking: reads a local file of 1 KiB
    (the server's ledger, which stores backoffs). For forked children, see "Blocking" at the top of this file. */
remora_status remora_source_get_info(remora_source *source, remora_source_info *out_info, remora_error *error);

/** Receives the state of one source; see remora_source_foreach. Returns 0 to continue, any other number to stop. */
typedef int32_t (*remora_source_visitor)(const remora_source_info *info, void *user_data);
/** Calls a visitor with the state of each open source of a client, in the order of opening. Use it for status pages and
    tools. A source with several handles is visited once. A source that is closed during the iteration is skipped.
    Blocking: reads a local file of 1 KiB for each source, as remora_source_get_info does. */
remora_status remora_source_foreach(remora_client *client, remora_source_visitor visitor, void *user_data,
                                    remora_error *error);

/** Gets the address of a number that changes when the live snapshot changes. A program that caches values which it
    computed from a snapshot can read this number to check whether the values are still current. Read the number with an
    atomic load (__atomic_load_n with __ATOMIC_ACQUIRE), then acquire the snapshot, and keep both. While the number
    stays the same and is not negative, the kept snapshot is live. If the number has changed or is negative, acquire a
    new snapshot. The number is negative if the source is closed, or if this process does not yet poll for data that
    other processes store. The first call of a getter or of remora_snapshot_acquire starts the polling; reading the
    number does not.
    Thread: any. Ownership: the library owns the number, which is valid until the handle is closed. Blocking: no. */
remora_status remora_source_get_revision(remora_source *source, const int64_t **out_revision, remora_error *error);

/* ------------------------------------------------------------- bundles --- */
typedef int32_t remora_method;
#define REMORA_METHOD_GET 0  /**< The default. */
#define REMORA_METHOD_POST 1 /**< A POST with an empty body. */

/** A bundle: a versioned JSON document of namespaces, as in the remote configuration of Snowplow mobile trackers. */
typedef struct remora_bundle_options {
  size_t struct_size;           /**< Set by REMORA_INIT. */
  const char *url;              /**< An http or https URL, optionally with a query, without user name, password or
                                     fragment. At most 8,192 bytes. The default scheme is https. If NULL, nothing is
                                     fetched, and the bundle consists of its defaults and overrides. */
  const char *name;             /**< Distinguishes bundles that have the same url, or no url; default "". */
  const char *accepted_schema;  /**< The text that must follow http:// or https:// in `$schema` of a bundle. Default
                                     "iglucentral.com/schemas/com.snowplowanalytics.mobile/remote_config/jsonschema/1".
                                     The text ends with the first number of the schema's version. The other numbers are
                                     not compared, so the default accepts the version 1-0-2, for example. */
  remora_method method;         /**< REMORA_METHOD_GET or REMORA_METHOD_POST. */
  remora_activation activation; /**< Must be REMORA_ACTIVATION_DEFAULT or _IMMEDIATE: a bundle becomes live at once. */
  const char *default_bundle;   /**< JSON of the default bundle: a whole bundle (schema and version are optional), or
                                     only its array configurationBundle, which has one element for each namespace. It is
                                     live until a bundle has been fetched. Default none. */
  int64_t default_version;      /**< Version of the default bundle: at least 1, or 0 for the version in default_bundle.
                                     If that is missing, every fetched bundle counts as newer than the default. */
} remora_bundle_options;

/** Opens a bundle. Reads then return the cached bundle, or the default bundle if none is cached. After the opening, a
    refresh starts in the background, unless url is NULL or first_fetch is REMORA_FIRST_FETCH_ON_REQUEST.

    - Keys: the keys of a bundle are its namespaces. The value of a key is the namespace's element in the document, a
      JSON object. Properties that the element lacks are read from the default bundle.
    - Versions: a fetched bundle is used only if its configurationVersion is higher than the versions of the live bundle
      and the default bundle.
    - Errors: if the type of an element or field in a fetched bundle is wrong, or its value is out of range, the element
      or field is omitted, with a warning in the log.
    - Removal: an element without networkConfiguration removes its namespace, and the overrides of a namespace that
      the previous version had.

    A bundle is identified by url, method, name and accepted_schema. Repeated openings, damaged caches, and seeds (data
    that an installer has saved) are handled as in remora_open_collection. See docs/bundles.md.
    @code
    remora_bundle_options bundle;
    REMORA_INIT(&bundle);
    bundle.url = "https://settings.example/bundle.json";
    if (remora_open_bundle(client, &bundle, NULL, &source, &error) == REMORA_OK)
      remora_get_string(source, "app", "/networkConfiguration/endpoint", text, sizeof text, "none");
    @endcode
    @return REMORA_OK, even if the refresh cannot start: the refresh is then reported as failed. REMORA_ERR_PARSE,
            _FORMAT or _TOO_LARGE if default_bundle cannot be used. Whatever only causes a warning in a fetched bundle,
            such as an element of a wrong type, is an error in default_bundle. The message names the place.
    Thread: any. Ownership: the caller closes the source. Blocking: waits for file system calls. If a stored version
    becomes live, also waits for a running job of the thread "remora-engine". If that version removes a namespace that
    has stored overrides, also waits at most 1 s for another process that stores overrides of the bundle. */
remora_status remora_open_bundle(remora_client *client, const remora_bundle_options *bundle,
                                 const remora_source_options *options, remora_source **out_source,
                                 remora_error *error);

/** A namespace of a bundle, valid during the callback. */
typedef struct remora_namespace {
  size_t struct_size;       /**< Size in bytes, set by the library. */
  const char *name;         /**< NUL-terminated. */
  size_t name_length;       /**< In bytes, without the NUL. */
  remora_bool in_bundle;    /**< 1 if in the live bundle; 0 if only in an earlier bundle or created by an override. */
  remora_bool is_default;   /**< 1 if it is the first namespace of the default bundle. */
  remora_origin origin;     /**< REMORA_ORIGIN_…, as in remora_snapshot_get_origin. */
  remora_bool has_override; /**< 1 if the value of the namespace contains an override. */
} remora_namespace;

/** Receives one namespace; see remora_namespace_foreach. Returns 0 to continue, any other number to stop. */
typedef int32_t (*remora_namespace_visitor)(const remora_namespace *entry, void *user_data);
/** Calls a visitor with each namespace of a bundle, except namespaces that the bundle removes (see remora_open_bundle).
    First come the namespaces that this version of the bundle lists, in its order. Then come those that only an earlier
    version lists or an override created, sorted by the bytes of their names. Blocking: no, except in forked children.
    @param source   A bundle. For any other source, the function returns REMORA_ERR_INVALID_ARGUMENT.
    @param snapshot A snapshot of this source, such as new_snapshot of an event. NULL means the live snapshot. */
remora_status remora_namespace_foreach(remora_source *source, const remora_snapshot *snapshot,
                                       remora_namespace_visitor visitor, void *user_data, remora_error *error);

/* ------------------------------------------------------------ settings --- */
/** Settings: a JSON dictionary of keys and values, as in the remote settings of the PAPulse SDK. */
typedef struct remora_settings_options {
  size_t struct_size;                /**< Set by REMORA_INIT. */
  const char *url;                   /**< An http or https URL, optionally with a query, without user name, password or
                                          fragment. At most 8,192 bytes, with the encoded request_params and the tag.
                                          The default scheme is https. Default
                                          "https://settings.picsart.com/api/settings". */
  const char *const *request_params; /**< NULL-terminated array of name, value, name, value, …: parameters for the
                                          server, such as user, segment, experiments or application. They are added to
                                          the query of every request, percent-encoded. Settings with different
                                          parameters are different sources, so that data of one user is never used for
                                          another. Only a digest of the parameters is stored. Default none. */
  const char *root_key;              /**< The member of the document that contains the dictionary, 1 to 256 bytes.
                                          Default none: the document is the dictionary. */
  const char *tag;                   /**< Name of an additional dictionary that the server provides under `url`, 1 to
                                          256 bytes of UTF-8. If set, this dictionary, which has its own cache, is
                                          opened instead of the main dictionary. Default none. */
  const char *tag_item;              /**< Name of the query item whose value is `tag`, 1 to 256 bytes; default "tag". */
  remora_activation activation;      /**< REMORA_ACTIVATION_…; default NEXT_SETUP. If `tag` is set, only IMMEDIATE is
                                          allowed, and is the default. */
  remora_bool memory_only;           /**< If 1, nothing of these settings is stored; persist_overrides must be 0. */
  int64_t ttl_ms;                    /**< How long data is fresh after a successful refresh; see remora_await. If 0 (the
                                          default), the time in the server's Cache-Control header applies, less its
                                          header Age, or one hour without Cache-Control. If -1, data is never fresh.
                                          Data that is no longer fresh (expired) stays live. If the option `tag` above
                                          is set and the source has a subscriber, expired data is refreshed in the
                                          background, unless ttl_ms is -1, or the server sent no-store, no-cache or
                                          max-age=0. */
  const char *packaged_file;         /**< File with packaged data, in the form in which the server would send it. The
                                          packaged data is live until fetched data becomes live. Default none. */
  const char *packaged_data;         /**< Packaged data in memory; must be NULL if packaged_file is set. */
  size_t packaged_size;              /**< Size of packaged_data in bytes. */
} remora_settings_options;

/** Opens settings. Reads then return the cached settings, or the packaged settings if none are cached. After the
    opening, a refresh starts in the background, unless first_fetch is REMORA_FIRST_FETCH_ON_REQUEST. The fetched
    document contains a dictionary (a JSON object). The members of the dictionary are the keys, and a value is any JSON.
    A key that a newly fetched dictionary lacks is removed. A key with the value null is treated as missing. If a fetch
    delivers new content, the version of the new snapshot is the time of this fetch, or the previous version plus 1 if
    that is higher. If a fetch delivers the current content, the outcome is REMORA_OUTCOME_UNCHANGED. Settings are
    identified by url, request_params, root_key, tag and tag_item. Repeated openings, damaged caches, and seeds (data
    that an installer has saved) are handled as in remora_open_collection. See docs/settings.md.
    @code
    remora_settings_options settings;
    REMORA_INIT(&settings);
    settings.url = "https://settings.example/app";
    if (remora_open_settings(client, &settings, NULL, &source, &error) == REMORA_OK)
      set_limit(remora_get_int(source, "limit", NULL, 10));
    @endcode
    @return REMORA_OK, even if the refresh cannot start: the refresh is then reported as failed. If the packaged data
            (at most 256 MiB) cannot be used, the result is REMORA_ERR_STORAGE, _PARSE, _FORMAT or _TOO_LARGE.
    Thread: any. Ownership: the caller closes the source. Blocking: waits for file system calls; if a stored version
    becomes live, also waits for a running job of the thread "remora-engine". */
remora_status remora_open_settings(remora_client *client, const remora_settings_options *settings,
                                   const remora_source_options *options, remora_source **out_source,
                                   remora_error *error);

/** Finds an A/B experiment of settings by its name, with the variant that the server has chosen. Experiments are the
    items of the key `experiments`. An item is an object with the members `name`, `variant`, `trackable` (a number) and
    `settings` (an array of the keys that the experiment affects). The value of `experiments` is an array of items, or
    an object whose members are items, each under the name of its experiment. An item is ignored if it has no name, or
    has the name of an earlier item. A member of a wrong type is ignored too. In both cases a warning in the log
    contains the JSON Pointer of the ignored part. Events report new experiments; see new_experiments of remora_event.
    @code
    remora_experiment experiment;
    if (remora_experiment_find(snapshot, "paint", &experiment, NULL) == REMORA_OK) puts(experiment.variant);
    @endcode
    @return REMORA_OK; REMORA_ERR_NOT_FOUND.
    Thread: any. Ownership: the experiment is valid as long as the snapshot. Blocking: no. */
remora_status remora_experiment_find(const remora_snapshot *snapshot, const char *name,
                                     remora_experiment *out_experiment, remora_error *error);

/** Receives one experiment, whose strings and value are valid as long as the snapshot. Returns 0 to continue, any other
    number to stop. */
typedef int32_t (*remora_experiment_visitor)(const remora_experiment *experiment, void *user_data);
/** Calls a visitor with each experiment of a snapshot. If the value of the key `experiments` is an array, its elements
    are visited in their order. If it is an object, its members are visited in the byte order of their names. If the key
    does not exist, the visitor is not called. */
remora_status remora_experiment_foreach(const remora_snapshot *snapshot, remora_experiment_visitor visitor,
                                        void *user_data, remora_error *error);

/* ------------------------------------------------------------- context --- */
/** Sets the context in which the filters of collections are evaluated. A record is hidden from getters, snapshots,
    counts, differences and events if it has a `filter_expression` that is not true in this context.

    The context is a JSON object. The following members are strings or null. Expressions read them by these names:

    app_id: env.appinfo.ID; locale: env.locale; app_version: env.version; country: env.country; channel: env.channel;
    form_factor: env.formFactor; os: env.os.name, env.appinfo.os.name, env.appinfo.OS; os_version: env.os.version,
    env.appinfo.os.version.

    `preferences` is an object. The transforms preferenceValue, preferenceExists and preferenceIsUserSet read its
    members by name. Expressions read any other member, of any type, as env.<name>. If such a member is named
    `version`, `formFactor` or `appinfo`, expressions read it instead of the members above: for example, env.version is
    `version`, not app_version. If `appinfo` is an object, it replaces only the members that it contains. Without a
    context, env has no members. See docs/filters.md for expressions and limits.

    When the function returns, all open sources have been filtered again. If records have appeared or disappeared,
    subscribers are notified by an event with cause REMORA_CAUSE_CONTEXT. No request is sent.
    @code
    remora_set_context(client, "{\"locale\":\"de\",\"channel\":\"release\"}", &error);
    @endcode
    @param json A JSON object of at most 1 MiB and a depth of at most 64. NULL removes the context.
    @return REMORA_OK. On failure the context does not change.
    Thread: any. Ownership: none. Blocking: waits for a running job of the thread "remora-engine"; evaluates filters. */
remora_status remora_set_context(remora_client *client, const char *json, remora_error *error);

/* ------------------------------------------------------------- refresh --- */
/** Options of a refresh, await or sync. A field that the called function does not use must be 0. */
typedef struct remora_refresh_options {
  size_t struct_size;        /**< Set by REMORA_INIT. */
  remora_bool force;         /**< For remora_refresh[_async]. If 1, the refresh ignores a pause (backoff) that the
                                  server requested, and sends its own request. It does not wait for an earlier refresh
                                  whose response has not arrived, in this or another process. If the forced refresh
                                  succeeds first, the earlier refreshes of this client end with the same outcome. An
                                  empty settings dictionary then replaces settings with keys, which is otherwise
                                  refused (REMORA_ERR_FORMAT). */
  remora_bool only_if_empty; /**< For remora_await[_async]. If 1, no request is sent if the source has any packaged,
                                  default or fetched data, even data that is not live yet or has no keys. */
  int64_t expected_version;  /**< For a refresh of a collection, or a sync: the timestamp in the push message which
                                  reports that new data was published; 0 if unknown. For a sync, this message is
                                  Mozilla's push broadcast `remote-settings/monitor_changes`. The timestamp is sent as
                                  the query item `_expected`, so that a cache on the way to the server cannot return
                                  older data. A negative number is an invalid argument. */
} remora_refresh_options;

/** Requests a newer version of a source from its server. Waits until the version is live (returned by reads) or staged
    (stored until it is activated). Use this function where the program can wait; remora_refresh_async does not wait.
    remora_await sends a request only if the data is not fresh. Concurrent refreshes of one source share one request. A
    failed refresh changes nothing: the last good data stays live and stored. If new values cannot be stored, the
    refresh succeeds, and storage_error in remora_source_info has the reason. The function can return before subscribers
    are called. The callback of remora_refresh_async is called after the subscribers.
    @param source      The source. For a bundle without url, the result is REMORA_ERR_INVALID_ARGUMENT.
    @param timeout_ms  The longest time to wait. If it is 0, no request is sent, and the result is REMORA_ERR_TIMEOUT.
    @param out_outcome Receives the outcome. On failure: FAILED, REFUSED, or NONE (invalid argument). May be NULL.
    @return REMORA_OK with the outcome UPDATED, UNCHANGED, NOT_NEWER or STAGED; REMORA_ERR_TIMEOUT; REMORA_ERR_CORRUPT;
            network, document, trust or freshness errors (see REMORA_FAMILY_…). REMORA_ERR_CANCELLED if remora_reset was
            called during the refresh. REMORA_ERR_STORAGE if another client or process locked the source's files for
            longer than total_timeout_ms.
    Thread: any. Ownership: none. Blocking: at most timeout_ms. With -1, the limits of remora_config apply to each
    request, and the function waits at most total_timeout_ms for another client or process. */
remora_status remora_refresh(remora_source *source, const remora_refresh_options *options, int64_t timeout_ms,
                             remora_outcome *out_outcome, remora_error *error);

/** The result of an asynchronous call of a source, valid during the callback. */
typedef struct remora_result {
  size_t struct_size;                  /**< Size in bytes, set by the library. */
  remora_source *source;               /**< The source handle that was passed to the call; never NULL. */
  remora_status status;                /**< Status of the operation, as returned by the function without _async. */
  remora_outcome outcome;              /**< For remora_refresh_async: REMORA_OUTCOME_…; NONE for other calls. */
  const remora_snapshot *snapshot;     /**< For remora_await_async: the fresh snapshot; if the wait has failed, the
                                            snapshot that was live when the wait began. NULL for other calls. */
  const remora_attachment *attachment; /**< For a successful remora_attachment_open_async, its attachment; else NULL. */
  const remora_error *error;           /**< Details; NULL if status is REMORA_OK. */
} remora_result;

/** Receives the result of an asynchronous call. A function with the suffix _async starts the same operation as the
    function without the suffix, and does not wait for it. If the _async function returns REMORA_OK, the callback is
    called exactly once, after the events of the same refresh. If the client or the source handle is closed before that,
    only free_user_data is called. When timeout_ms expires, the callback receives REMORA_ERR_TIMEOUT, and the request is
    cancelled unless other callers wait for it. If timeout_ms is 0, no request is sent, and the callback receives the
    result of the function without the suffix for a timeout of 0. `callback` and `out_request` may be NULL. out_request
    receives a handle with which the call can be cancelled; release it with remora_request_release.
    Thread of the _async functions: any. Ownership: the caller releases the handle. Blocking: no. Thread of the
    callback: "remora-events", or the thread that calls remora_dispatch.
    @code
    static void on_result(const remora_result *result, void *user_data) {
      (void)user_data;
      if (result->error) fprintf(stderr, "%s\n", result->error->message);
    }
    @endcode */
typedef void (*remora_result_callback)(const remora_result *result, void *user_data);

/** Starts a refresh like remora_refresh, without waiting for it. The callback receives the result; see
    remora_result_callback. For a bundle without url, the function returns REMORA_ERR_INVALID_ARGUMENT.
    @code
    remora_request *request = NULL;
    remora_refresh_async(source, NULL, 5000, on_result, NULL, NULL, &request, &error);
    remora_request_cancel(request); // if the result is not needed any more
    remora_request_release(request);
    @endcode */
remora_status remora_refresh_async(remora_source *source, const remora_refresh_options *options, int64_t timeout_ms,
                                   remora_result_callback callback, void *user_data, void (*free_user_data)(void *),
                                   remora_request **out_request, remora_error *error);

/** Cancels an asynchronous operation. Its callback receives REMORA_ERR_CANCELLED, unless the operation has completed.
    If the operation is a sync, all sources that have no outcome yet fail with REMORA_ERR_CANCELLED. If no other caller
    waits for the response, the HTTP request is cancelled too, and its response is not used.
    Thread: any. Ownership: none; the caller must still release the request. Blocking: no. */
void remora_request_cancel(remora_request *request);

/** Releases the handle of an asynchronous operation. The operation is not cancelled. */
void remora_request_release(remora_request *request);

/** Refreshes a source if its data is not fresh, and waits for the resulting snapshot. Settings are fresh until their
    lifetime (see ttl_ms) has expired; no request is sent before that. Data of collections and bundles is never fresh.
    If the refresh succeeds in time, the result is the refreshed snapshot. Otherwise the result is the snapshot that was
    live at the call. If the refresh only stages a version (stores it for later), the result is the live snapshot.
    @code
    remora_snapshot *fresh = NULL;
    if (remora_await(source, NULL, 2000, &fresh, &error) != REMORA_OK) fprintf(stderr, "%s\n", error.message);
    start(fresh); // the live snapshot if the refresh has failed
    remora_snapshot_release(fresh);
    @endcode
    @param timeout_ms   The longest time to wait. If it is 0, the live snapshot is returned at once, without a request.
    @param out_snapshot Receives a snapshot, also on failure. NULL only if an argument is invalid, or the client was
                        closed before the call.
    @return REMORA_OK if the data was refreshed, or no request was needed; otherwise the same errors as remora_refresh.
    Thread: any. Ownership: the caller releases the snapshot. Blocking: at most timeout_ms; -1: see remora_refresh. */
remora_status remora_await(remora_source *source, const remora_refresh_options *options, int64_t timeout_ms,
                           remora_snapshot **out_snapshot, remora_error *error);

/** Requests a fresh snapshot like remora_await, without waiting. The callback receives the snapshot; see
    remora_result_callback. If callback is NULL, the call is a prefetch: it fetches data that later reads and later
    calls of remora_await use. When timeout_ms expires, the callback receives REMORA_ERR_TIMEOUT and the snapshot that
    was live when this function was called. If timeout_ms is 0, the callback receives REMORA_OK and the snapshot that
    was live at the call. */
remora_status remora_await_async(remora_source *source, const remora_refresh_options *options, int64_t timeout_ms,
                                 remora_result_callback callback, void *user_data, void (*free_user_data)(void *),
                                 remora_request **out_request, remora_error *error);

/** Deletes all fetched data of a source: the live and the staged version, a seed (data that an installer saved), the
    highest accepted version and the last error. The packaged data or the default bundle becomes live, and the next
    refresh fetches everything. A running refresh fails with REMORA_ERR_CANCELLED. Overrides stay. Use this function to
    recover after a server has signed a wrong timestamp.
    @return REMORA_OK if the reset took effect. If a later step has failed, such as removing a file, storage_error in
            remora_source_info has the reason. REMORA_ERR_STORAGE if another client or process locks the source's files
            for 5 s, or if its stored state cannot be read or written; REMORA_ERR_PERMISSION if another user owns or can
            write one of these files. On failure, the function has deleted nothing, but has cancelled a running refresh.
    Thread: any. Ownership: none. Blocking: waits for file system calls, for the queued jobs of the thread
    "remora-engine", and at most 5 s for another client or process that locks the source's files. */
remora_status remora_reset(remora_source *source, remora_error *error);

/* ---------------------------------------------------------- activation --- */
/** Makes the staged version (stored by a refresh, but not returned by reads yet) live: in this process at once, and for
    every client that opens the source from now on. Other processes that have the source open keep their live version.
    The function can be called at any time, with every activation mode. In the callback of an event with outcome STAGED,
    it activates the staged_snapshot of the event, or a version staged later. Subscribers are notified by an event with
    cause REMORA_CAUSE_ACTIVATED. If another process has locked the source's files, the thread "remora-engine" stores
    the activation later. If this process ends before that, the version is still staged at the next opening.
    @code
    remora_outcome outcome;
    if (remora_activate(source, &outcome, &error) == REMORA_OK) puts(remora_outcome_name(outcome));
    @endcode
    @param out_outcome Receives UPDATED, or UNCHANGED if no version was staged; NONE on failure. May be NULL.
    @return REMORA_OK, even if the storage has failed; storage_error in remora_source_info then has the reason.
    Thread: any. Ownership: none. Blocking: waits for file system calls and a running job of the thread "remora-engine".
    If the staged version of a bundle removes a namespace (a key) that has stored overrides, also waits at most 1 s for
    another process that stores overrides of the bundle. */
remora_status remora_activate(remora_source *source, remora_outcome *out_outcome, remora_error *error);

/** Freezes the live version of a source: reads return it until the client is closed. Versions fetched later are only
    stored (staged), as with REMORA_ACTIVATION_NEXT_SETUP. They become live when a later client opens the source.

    Subscribers of the source receive no further events, except that a new subscription with REMORA_SUBSCRIBE_REPLAY
    receives the current state. Results of asynchronous calls are still delivered. The freeze applies to all handles of
    the source, including handles that this client opens later. remora_activate, overrides, the context and remora_reset
    still change the live version. When the function returns, no event callback of this source is running or will run;
    but if the function is called inside a callback, it does not wait for running callbacks.
    @return REMORA_OK, even if the source was already frozen.
    Thread: any. Ownership: none. Blocking: waits for a running job of the thread "remora-engine", and for a callback of
    the source that is running. */
remora_status remora_stop_listening(remora_source *source, remora_error *error);

/* ---------------------------------------------------------------- sync --- */
/** The result of a sync for one source, valid during the callback. */
typedef struct remora_sync_item {
  const char *source_name;   /**< Name of the source, as in remora_source_info. */
  const char *server;        /**< Address of the server, as in remora_source_info. */
  remora_source_kind kind;   /**< REMORA_KIND_… */
  remora_outcome outcome;    /**< REMORA_OUTCOME_… */
  const remora_error *error; /**< The reason if outcome is REFUSED or FAILED; otherwise NULL. */
} remora_sync_item;

/** The result of a sync, valid during the callback. */
typedef struct remora_sync_report {
  size_t struct_size;            /**< Size in bytes, set by the library. */
  const remora_sync_item *items; /**< One item for each source that was open when the sync started, in the order of
                                      opening. A bundle without url has no item. */
  size_t item_count;             /**< The sum of updated, unchanged, staged and failed. */
  size_t updated;                /**< Number of sources with outcome UPDATED. */
  size_t unchanged;              /**< Number of sources with outcome UNCHANGED or NOT_NEWER. */
  size_t staged;                 /**< Number of sources with outcome STAGED. */
  size_t failed;                 /**< Number of sources with outcome REFUSED or FAILED. */
  const remora_error *error;     /**< First failure; its message begins like "2 of 5 sources failed". NULL if none. */
} remora_sync_report;

/** Receives the result of a sync. The callback must return normally: it must not throw or call longjmp.
    Thread: for remora_sync, the calling thread. For remora_sync_async, "remora-events" or the thread that calls
    remora_dispatch; the events of the refreshes are delivered before the result. */
typedef void (*remora_sync_callback)(const remora_sync_report *report, void *user_data);

/** Refreshes the open sources of a client that have changed on their servers, and waits until the new versions are live
    (returned by reads) or staged (stored for later). Use it to refresh many sources with few requests.

    - First, the sync requests the monitor of each server: the list of its collections with their timestamps.
    - A collection is refreshed if its timestamp in the monitor differs from the timestamp of the newest local data, or
      if the monitor does not list the collection. Bundles and settings have no monitor, and are always refreshed.
    - Up to four sources are refreshed at a time. If a refresh of a source is already running, the sync shares its
      request. If a source fails, the sync continues. If a monitor fails, all collections of its server fail.
    - If the monitor lists a collection as unchanged, no event is published, and checked_at_ms of the collection does
      not change. The reason is that a monitor is not signed, so it does not prove that the data is current.
    @code
    if (remora_sync(client, NULL, 10000, NULL, NULL, &error) != REMORA_OK) fprintf(stderr, "%s\n", error.message);
    @endcode
    @param timeout_ms The longest time to wait. Sources that have no outcome by then fail with REMORA_ERR_TIMEOUT. If
                      timeout_ms is 0, no request is sent.
    @param callback   Called once before this function returns, unless an argument is invalid, the client is closed, or
                      nothing could be started. May be NULL.
    @return REMORA_OK if all sources have succeeded, or no source is open. Otherwise the status of the first source that
            failed, which is one of the errors of remora_refresh. `error` receives the same details as the callback.
    Thread: any. Ownership: none. Blocking: at most timeout_ms, plus the time of the callback. With -1, the function
    waits for the requests to the monitors, and for each source as long as remora_refresh does with -1. */
remora_status remora_sync(remora_client *client, const remora_refresh_options *options, int64_t timeout_ms,
                          remora_sync_callback callback, void *user_data, remora_error *error);

/** Starts a sync like remora_sync, without waiting for it. The callback receives the report; see
    remora_result_callback. Closing a source handle does not prevent the callback. When timeout_ms expires, sources that
    have no outcome yet fail with REMORA_ERR_TIMEOUT. */
remora_status remora_sync_async(remora_client *client, const remora_refresh_options *options, int64_t timeout_ms,
                                remora_sync_callback callback, void *user_data, void (*free_user_data)(void *),
                                remora_request **out_request, remora_error *error);

/* ---------------------------------------------------------- get by key --- */
/* Getters read one value of a source by its key. They return a default if the value does not exist or has another type,
   so they cannot fail. Two calls can read different versions of the source. To read values that belong together, or to
   read without copying, acquire a snapshot. `key` is the id of a record, a namespace, or a member of the dictionary.
   The default is also returned if source or key is NULL, and after remora_client_close. A default of NULL means "".
   @code
   char engine[64];
   remora_bool enabled = remora_get_bool(source, "features", "/banner", 0);
   remora_get_string(source, "search", "/default", engine, sizeof engine, "none");
   if (enabled) puts(engine);
   @endcode
   Thread: any. Ownership: none. Blocking: no, except in forked children. */

/** Reads a boolean. Returns 1, 0 or the default. */
remora_bool remora_get_bool(remora_source *source, const char *key, const char *pointer, remora_bool default_value);
/** Reads a number that converts exactly to a 64-bit integer, such as 5 or 5.0. Returns the number or the default. */
int64_t remora_get_int(remora_source *source, const char *key, const char *pointer, int64_t default_value);
/** Reads a number that can be converted exactly to a double. Returns the number or the default. */
double remora_get_double(remora_source *source, const char *key, const char *pointer, double default_value);
/** Copies a string, or the default, to the buffer. Returns the length of the whole string in bytes. */
size_t remora_get_string(remora_source *source, const char *key, const char *pointer, char *buffer, size_t size,
                         const char *default_value);

/** Copies a string that is an absolute URI (RFC 3986) of at most 8,192 bytes, such as "https://example.com/a" or
    "app://editor". Any scheme is accepted, so check the scheme before you open the URL. An http or https URL must have
    a valid host, and neither user name nor password. Returns the length of the whole URL in bytes. */
size_t remora_get_url(remora_source *source, const char *key, const char *pointer, char *buffer, size_t size,
                      const char *default_value);

/** Copies the canonical JSON text of a value of any type; see remora_snapshot_get_json. If no value exists, or the
    value is null, the default is copied unchanged. So with a default of NULL or "", the result can be the empty text,
    which is not JSON. Returns the length of the whole text in bytes. */
size_t remora_get_json(remora_source *source, const char *key, const char *pointer, char *buffer, size_t size,
                       const char *default_value);

/* ---------------------------------------------------------- bound keys --- */
/** Creates a handle that caches one value of a source for frequent reads, such as per frame or packet. Until another
    version becomes live, a read takes a few memory loads and no search, and is several times faster than remora_get_….
    @code
    remora_key *banner = NULL;
    remora_key_bind(source, "features", "/banner", &banner, &error);
    while (draw_frame(remora_key_get_bool(banner, 0))) {}
    remora_key_release(banner);
    @endcode
    @param key The id of a record, a namespace, or a member of the dictionary. The key need not exist yet.
    Thread: any. Ownership: the caller releases the key. The key stays valid when the source handle is closed; after the
    last handle of the source is closed, it keeps its last value. Blocking: no, except in forked children. */
remora_status remora_key_bind(remora_source *source, const char *key, const char *pointer, remora_key **out_key,
                              remora_error *error);

/** Releases a bound key, which remora_key_bind has created. No thread may use the key afterwards. */
void remora_key_release(remora_key *key);

/* Getters of a bound key (a handle that remora_key_bind creates) return the default if the key is NULL, and after
   remora_client_close. Strings of up to 64 bytes are cached.
   Thread: any. Ownership: none. Blocking: no, except in forked children. */

/** Reads the value of a bound key, or returns the default, like remora_get_bool and the other getters by key. */
remora_bool remora_key_get_bool(remora_key *key, remora_bool default_value);
int64_t remora_key_get_int(remora_key *key, int64_t default_value);
double remora_key_get_double(remora_key *key, double default_value);
size_t remora_key_get_string(remora_key *key, char *buffer, size_t size, const char *default_value);

/** Returns a counter that increases when the value of a bound key (a handle of one value) changed; 0 if key is NULL.
    Each call adds 1 to the counter if the value has changed since the previous call, so several changes between two
    calls count as one. While the counter stays the same, a program need not recompute data derived from the value. */
int64_t remora_key_get_change_count(remora_key *key);

/* ----------------------------------------------------------- snapshots --- */
/** Flag of remora_snapshot_acquire, for tools: acquires the data as it was received. The snapshot includes the records
    that filters hide, but no overrides or defaults. Namespaces (keys) that a bundle removes are included, as null, and
    so are keys of settings whose value is null. */
#define REMORA_SNAPSHOT_UNFILTERED 1u

/** Acquires the live snapshot of a source: an immutable view of one version. Use it to read related values, or to read
    without copying. If a source has no data, its snapshot has origin REMORA_ORIGIN_NONE, and contains only overrides.
    @code
    const char *host = NULL;
    int64_t port = 443;
    if (remora_snapshot_acquire(source, 0, &snapshot, &error) == REMORA_OK) {
      remora_snapshot_get_string(snapshot, "proxy", "/host", &host, NULL, NULL);
      remora_snapshot_get_int(snapshot, "proxy", "/port", &port, NULL);
      use(host, port); // host is valid until the snapshot is released
      remora_snapshot_release(snapshot);
    }
    @endcode
    @param flags 0 or REMORA_SNAPSHOT_UNFILTERED.
    Thread: any. Ownership: the caller releases the snapshot. Blocking: no, except in forked children. */
remora_status remora_snapshot_acquire(remora_source *source, remora_flags flags, remora_snapshot **out_snapshot,
                                      remora_error *error);

/** Adds a reference to a snapshot, and returns the snapshot. */
remora_snapshot *remora_snapshot_retain(const remora_snapshot *snapshot);
/** Releases a reference to a snapshot. The last release frees the snapshot. */
void remora_snapshot_release(remora_snapshot *snapshot);

/** The properties of a snapshot. */
typedef struct remora_snapshot_info {
  size_t struct_size;    /**< Set by REMORA_INIT. */
  remora_origin origin;  /**< REMORA_ORIGIN_… */
  remora_bool verified;  /**< 1 if a signature of this data was verified. The signature does not cover overrides. For
                              packaged data, see packaged_file of remora_collection_options. */
  int64_t version;       /**< For a bundle, its version; for a collection, its timestamp on the server; for settings,
                              the time of the fetch (see remora_open_settings). 0 if the data has no version. */
  int64_t fetched_at_ms; /**< Time at which the data of the snapshot was fetched; 0: never. */
  size_t count;          /**< Number of keys. A key whose value is null counts as missing. */
} remora_snapshot_info;

/* The following functions read a snapshot. `out_length` of a string may be NULL. For each of them: Thread: any.
   Ownership: strings and values are valid as long as the snapshot. Blocking: no. */

/** Reads the properties of a snapshot. */
remora_status remora_snapshot_get_info(const remora_snapshot *snapshot, remora_snapshot_info *out_info,
                                       remora_error *error);
/** Returns the number of keys; 0 if snapshot is NULL. */
size_t remora_snapshot_count(const remora_snapshot *snapshot);

/** Finds the value of a key in a snapshot, or a part of the value. A key whose value is null is missing, but a part of
    a value can be a JSON null.
    @param key     The key, 1 to 65,535 bytes.
    @param pointer JSON Pointer to the part; NULL or "" means the whole value.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND. */
remora_status remora_snapshot_get(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                  remora_value *out_value, remora_error *error);

/** Finds the value of a key, or a part of it, like remora_snapshot_get. The lengths of key and pointer are passed in
    bytes, so the texts need no NUL. This function is for language bindings.
    @param pointer_length The length of the text `pointer` (a JSON Pointer); 0 if pointer is NULL.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND. */
remora_status remora_snapshot_get_n(const remora_snapshot *snapshot, const char *key, size_t key_length,
                                    const char *pointer, size_t pointer_length, remora_value *out_value,
                                    remora_error *error);

/** Gets the key and value at a position in a snapshot. Keys are sorted by their bytes. Each output may be NULL.
    @param index 0 to remora_snapshot_count - 1.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND if index is too large. */
remora_status remora_snapshot_item(const remora_snapshot *snapshot, size_t index, const char **out_key,
                                   size_t *out_key_length, remora_value *out_value, remora_error *error);

/* Functions that read one type return REMORA_OK, REMORA_ERR_WRONG_TYPE, or REMORA_ERR_NOT_FOUND (also for null). */

/** Reads a boolean: 1 or 0. */
remora_status remora_snapshot_get_bool(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                       remora_bool *out_value, remora_error *error);
/** Reads an integer. A double is converted if it is exactly a 64-bit integer, such as 5.0. */
remora_status remora_snapshot_get_int(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                      int64_t *out_value, remora_error *error);
/** Reads a number as a double. An integer is converted if a double can represent it exactly. */
remora_status remora_snapshot_get_double(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                         double *out_value, remora_error *error);
/** Reads a string without copying it. */
remora_status remora_snapshot_get_string(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                         const char **out_string, size_t *out_length, remora_error *error);
/** Reads a string that is an absolute URI, without copying it. The rules for URIs are those of remora_get_url. */
remora_status remora_snapshot_get_url(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                      const char **out_url, size_t *out_length, remora_error *error);

/** Writes the canonical JSON text of one value, or of the whole snapshot as one object. Keys are sorted, spaces are
    omitted, and non-ASCII characters are escaped. A double is written with as few digits as possible and an exponent,
    such as 7.5E-1 for 0.75. Remote Settings servers sign this form.
    @param key The key; NULL means the whole snapshot, and then `pointer` must be NULL too.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND; REMORA_ERR_CORRUPT if the stored file was changed while in use. */
remora_status remora_snapshot_get_json(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                       char *buffer, size_t size, size_t *out_length, remora_error *error);

/** Gets the origin of the value of a key: where the value is from.
    @param out_origin Receives REMORA_ORIGIN_OVERRIDE if the value contains an override; else REMORA_ORIGIN_DEFAULT if
                      the whole value is from the default bundle; else the origin of an earlier bundle if the value is
                      still from there, because the new bundle lacks the key; else the origin of the snapshot.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND. */
remora_status remora_snapshot_get_origin(const remora_snapshot *snapshot, const char *key, remora_origin *out_origin,
                                         remora_error *error);

/** Receives one difference between two snapshots. Its values are valid as long as their snapshots. Returns 0 to
    continue, any other number to stop.
    @code
    static int32_t print_change(const remora_change *change, void *user_data) {
      (void)user_data;
      return puts(change->key) < 0;
    }
    @endcode */
typedef int32_t (*remora_change_visitor)(const remora_change *change, void *user_data);
/** Calls a visitor with each difference between two snapshots, in the order of keys. NULL means an empty snapshot.
    Types and values are compared, not the text: 0.5 equals 5e-1, but 10 (an integer) differs from 1e1 (a double).
    @code
    remora_snapshot_diff(old_snapshot, snapshot, print_change, NULL, &error);
    @endcode */
remora_status remora_snapshot_diff(const remora_snapshot *old_snapshot, const remora_snapshot *new_snapshot,
                                   remora_change_visitor visitor, void *user_data, remora_error *error);

/* -------------------------------------------------------------- values --- */
typedef int32_t remora_type;
#define REMORA_TYPE_NONE 0 /**< The empty value, which is not part of any snapshot. */
#define REMORA_TYPE_NULL 1
#define REMORA_TYPE_BOOL 2
#define REMORA_TYPE_INT 3
#define REMORA_TYPE_DOUBLE 4
#define REMORA_TYPE_STRING 5
#define REMORA_TYPE_ARRAY 6
#define REMORA_TYPE_OBJECT 7

/* Functions of values. A value may be used only until its snapshot is released. The empty value is an invalid argument,
   except for remora_value_type and remora_value_count. Functions that read one type return REMORA_OK,
   REMORA_ERR_NOT_FOUND for null, or REMORA_ERR_WRONG_TYPE. `out_length` of strings may be NULL.
   @code
   remora_value list, item;
   const char *name = NULL;
   if (remora_snapshot_get(snapshot, "regions", "/names", &list, &error) == REMORA_OK) {
     for (size_t i = 0; remora_value_item(list, i, NULL, NULL, &item, NULL) == REMORA_OK; i++)
       if (remora_value_get_string(item, &name, NULL, NULL) == REMORA_OK) puts(name);
   }
   @endcode
   Thread: any. Ownership: strings and values are valid as long as the snapshot. Blocking: no. */

/** Returns the type of a value, REMORA_TYPE_… */
remora_type remora_value_type(remora_value value);

/** Reads a value of one type, with the rules of remora_snapshot_get_bool and the other typed reads of snapshots. */
remora_status remora_value_get_bool(remora_value value, remora_bool *out_value, remora_error *error);
remora_status remora_value_get_int(remora_value value, int64_t *out_value, remora_error *error);
remora_status remora_value_get_double(remora_value value, double *out_value, remora_error *error);
remora_status remora_value_get_string(remora_value value, const char **out_string, size_t *out_length,
                                      remora_error *error);
remora_status remora_value_get_url(remora_value value, const char **out_url, size_t *out_length, remora_error *error);

/** Writes the canonical JSON text of a value, in the form that remora_snapshot_get_json describes.
    @return REMORA_OK; REMORA_ERR_CORRUPT if the stored file was changed while in use. */
remora_status remora_value_get_json(remora_value value, char *buffer, size_t size, size_t *out_length,
                                    remora_error *error);

/** Returns the number of elements of an array or members of an object; 0 for any other type and for the empty value. */
size_t remora_value_count(remora_value value);

/** Finds a member of an object by name; "" is a valid name. The result can be a JSON null.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND; REMORA_ERR_WRONG_TYPE if the value is not an object. */
remora_status remora_value_member(remora_value value, const char *name, remora_value *out_value, remora_error *error);

/** Gets the element of an array or the member of an object at a position. Members are sorted by the bytes of their
    names. For an array, the name is NULL and its length 0. The result can be a JSON null. Any output may be NULL.
    @param index 0 to remora_value_count - 1.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND if index is too large; REMORA_ERR_WRONG_TYPE if value is neither an array
            nor an object. */
remora_status remora_value_item(remora_value value, size_t index, const char **out_name, size_t *out_name_length,
                                remora_value *out_value, remora_error *error);

/** Finds the part of a value that a JSON Pointer (RFC 6901) identifies. The result can be a JSON null.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND. */
remora_status remora_value_resolve(remora_value value, const char *pointer, remora_value *out_value,
                                   remora_error *error);

/** Writes the members of a record (the value of a key of a collection), except for `id`, `last_modified` and
    `attachment`, as one canonical JSON object; see remora_snapshot_get_json.
    @return REMORA_OK; REMORA_ERR_WRONG_TYPE if the value is not an object; REMORA_ERR_CORRUPT. */
remora_status remora_value_record_fields(remora_value record, char *buffer, size_t size, size_t *out_length,
                                         remora_error *error);

/* --------------------------------------------------------- attachments --- */
/** The progress of a download. */
typedef struct remora_progress {
  size_t struct_size; /**< Size in bytes, set by the library. */
  int64_t received;   /**< Number of bytes received so far, including those of an interrupted download that is resumed.
                           The number decreases if the server sends the file from the beginning again. */
  int64_t total;      /**< Size of the attachment in bytes, as stated in its record. */
} remora_progress;

/** Receives the progress of the download of an attachment. The callback is called at most about a hundred times per
    download. Before a successful download completes, the callback is called with `received` equal to `total`. If the
    attachment is opened without a download, the callback is not called.
    Thread: for remora_attachment_open, the calling thread. For remora_attachment_open_async, the thread of the client's
    event callbacks; the callback that receives the result is called last. No lock is held during the call. */
typedef void (*remora_progress_callback)(const remora_progress *progress, void *user_data);

/** Options for opening an attachment. */
typedef struct remora_attachment_options {
  size_t struct_size;              /**< Set by REMORA_INIT. */
  const remora_snapshot *snapshot; /**< Snapshot that contains the record; default: the live snapshot. The program may
                                        release the snapshot when the function has returned. */
  int64_t max_bytes;               /**< Larger attachments are not opened; default 64 MiB, -1: no limit. */
  remora_bool by_location;         /**< If 1, `record` is the location of the attachment, not an id. Records that
                                        filters hide are found too. */
  remora_bool local_only;          /**< If 1, only a stored or packaged attachment is opened; no request is sent. */
  remora_progress_callback on_progress; /**< Receives the progress of the download; default none. */
  void *on_progress_user_data;
  void (*on_progress_free_user_data)(void *);
} remora_attachment_options;

/** Opens the attachment of a record: from the storage directory, else the packaged attachments, else the server. The
    library verifies that the size and SHA-256 of an attachment match its record. So an attachment is as trustworthy as
    its record. Downloads are verified before they are used. Stored and packaged files are verified when a client opens
    them for the first time. A download is stored under its SHA-256, and later openings through any record, client or
    process use the stored file. The next opening resumes an interrupted download. Concurrent openings of an attachment
    share one download. The total_timeout_ms of the client does not apply to downloads; its other limits do.
    @code
    remora_attachment *attachment = NULL;
    if (remora_attachment_open(source, "fr-en", NULL, 60000, &attachment, &error) == REMORA_OK) {
      load(remora_attachment_data(attachment), remora_attachment_size(attachment));
      remora_attachment_release(attachment);
    }
    @endcode
    @param record     The id of the record. With by_location, the location of the attachment.
    @param timeout_ms The longest time to wait. If timeout_ms is 0, a stored or packaged attachment is opened, and
                      REMORA_ERR_TIMEOUT is returned if a request would be needed.
    @return REMORA_OK. REMORA_ERR_NOT_FOUND if the record, its attachment or the location does not exist, or if
            local_only is 1 and the attachment is neither stored nor packaged. REMORA_ERR_TIMEOUT. REMORA_ERR_CANCELLED
            in a child that was forked inside the progress callback. REMORA_ERR_ATTACHMENT_MISMATCH. Network, document
            or storage errors, which docs/attachments.md explains.
    Thread: any. Ownership: the caller releases the attachment with remora_attachment_release. Blocking: at most
    timeout_ms, plus the time of file system calls and of the progress callback. If timeout_ms is 0, the function can
    wait for the verification of a stored or packaged file that this client opens for the first time. A client runs at
    most eight downloads at a time; a further one waits until one ends. A download also waits while another client or
    process downloads the same attachment. With timeout_ms -1, both waits for other downloads have no time limit. */
remora_status remora_attachment_open(remora_source *source, const char *record,
                                     const remora_attachment_options *options, int64_t timeout_ms,
                                     remora_attachment **out_attachment, remora_error *error);

/** Opens an attachment like remora_attachment_open, without waiting. The callback receives the attachment; see
    remora_result_callback. If callback is NULL, the attachment is only downloaded, so that it can be opened later. The
    record is looked up before the function returns. If the lookup fails, the function returns REMORA_ERR_NOT_FOUND,
    REMORA_ERR_FORMAT or REMORA_ERR_TOO_LARGE. If timeout_ms is 0, only a stored or packaged attachment is opened.
    @param record The id of the record, or the location of the attachment if by_location is set. */
remora_status remora_attachment_open_async(remora_source *source, const char *record,
                                           const remora_attachment_options *options, int64_t timeout_ms,
                                           remora_result_callback callback, void *user_data,
                                           void (*free_user_data)(void *), remora_request **out_request,
                                           remora_error *error);

/** Adds a reference to an attachment, and returns the attachment. */
remora_attachment *remora_attachment_retain(const remora_attachment *attachment);

/* For each getter of an attachment: Thread: any. Ownership: the bytes and the path are valid until the attachment is
   released, even after remora_client_close. Blocking: no. */

/** Returns the address of the remora_attachment_size bytes, which never change; NULL if attachment is NULL. */
const void *remora_attachment_data(const remora_attachment *attachment);
/** Returns the size of an attachment in bytes, as stated in its record; 0 if attachment is NULL. */
size_t remora_attachment_size(const remora_attachment *attachment);

/** Returns the path of the file that contains the attachment, for programs that need a file. Do not write to it: it is
    shared. Remora can remove a stored file when no record refers to it any more. The path is absolute if its folder
    (storage_dir or packaged_attachments) is absolute. Returns NULL if attachment is NULL, or is in memory only. */
const char *remora_attachment_path(const remora_attachment *attachment);

/** Releases a reference to an attachment. The stored file remains. */
void remora_attachment_release(remora_attachment *attachment);

/* ----------------------------------------------------------- subscribe --- */
/** Flag of remora_subscribe: the first event of the subscriber is the current state, with cause OPENED. */
#define REMORA_SUBSCRIBE_REPLAY 1u

/** Registers a callback for the events of a source, or for the changes of one key. A subscriber of a source is called
    after every refresh, with the outcome, and whenever the live snapshot has changed for another reason. A subscriber
    of a key is called when the value of that key has changed. Subscribing sends no request.

    Events that occur while a callback runs are queued. Queued events that report a new live snapshot merge into one
    event if they have the same cause and the same outcome. The merged event has the old_snapshot of the first event and
    the new_snapshot of the last one. All other events are delivered separately.
    @code
    remora_subscription *subscription = NULL;
    remora_subscribe(source, NULL, REMORA_SUBSCRIBE_REPLAY, on_change, NULL, NULL, &subscription, &error);
    remora_unsubscribe(subscription); // when the events are not needed any more
    @endcode
    @param key              The key; NULL means the whole source.
    @param flags            0 or REMORA_SUBSCRIBE_REPLAY.
    @param out_subscription Receives the subscription. NULL: the subscription lasts until the source handle is closed.
    Thread: any. Ownership: the caller ends the subscription. Blocking: no, except in forked children. */
remora_status remora_subscribe(remora_source *source, const char *key, remora_flags flags,
                               remora_event_callback callback, void *user_data, void (*free_user_data)(void *),
                               remora_subscription **out_subscription, remora_error *error);

/** Ends a subscription. When the function returns, the callback will not be called again. free_user_data has then been
    called too, with two exceptions. Inside any callback of Remora, the function does not wait: if the callback of the
    subscription is running, free_user_data is called when that callback returns. If another thread is closing the
    client, that thread calls free_user_data, perhaps after this function has returned.
    Thread: any. Ownership: consumes the subscription. Blocking: waits if the callback is running on another thread. */
void remora_unsubscribe(remora_subscription *subscription);

/* ----------------------------------------------------------- overrides --- */
/** Flag of remora_override_set: sets the value only if the live snapshot has data for the key, besides overrides. */
#define REMORA_OVERRIDE_IF_EXISTS 1u

/** Sets an override: a value that takes precedence over default, packaged and fetched values until it is cleared. It
    also takes precedence over values that are packaged or fetched later, by this or another process. A reset does not
    clear an override. If a bundle removes a namespace (a key), the overrides of the namespace are cleared.

    `pointer` must lead through objects to the place of the override. If the key or one of these objects does not exist,
    or is null, it is created. If a later refresh delivers a value on this path that is not an object, the override
    replaces that value. The new override replaces earlier overrides at the same place and inside it. An earlier
    override of an enclosing value stays, and is applied first.

    When the function returns, the value is live. If the value of the key has changed, subscribers are notified by an
    event with cause REMORA_CAUSE_OVERRIDE. Overrides belong to the source and apply to all of its handles. When the
    last handle is closed, the overrides are removed, unless persist_overrides is 1. docs/overrides.md has the details.

    With REMORA_OVERRIDE_IF_EXISTS, a key that the live snapshot does not have is not created, and a removed namespace
    does not reappear. Use the flag when the program starts, to set a value such as a user id inside a key that the
    server sends. A record that a filter hides is treated as missing, and so is a key that consists of overrides only,
    such as a namespace that only stored overrides create. Checking and setting are one atomic operation.
    @code
    remora_override_set(source, "limits", "/max_uploads", "50", 0, &error);
    remora_override_clear(source, "limits", "/max_uploads", &error);
    @endcode
    @param key     The key, 1 to 65,535 bytes.
    @param pointer JSON Pointer to the place in the value, at most 65,535 bytes; NULL means the whole value.
    @param json    JSON text of at most 1 MiB, also "null". Its depth plus the number of names in pointer is at most 64.
    @param flags   0 or REMORA_OVERRIDE_IF_EXISTS.
    @return REMORA_OK, even if the storage has failed; storage_error in remora_source_info then has the reason.
            REMORA_ERR_NOT_FOUND if REMORA_OVERRIDE_IF_EXISTS is set and the key is missing; REMORA_ERR_WRONG_TYPE
            if a value on the path is not an object; REMORA_ERR_TOO_LARGE for more than 10,000 overrides, or if the
            source would be larger than 2 GiB; REMORA_ERR_CORRUPT if the file with the stored data of the source was
            changed while in use. On failure the function has changed nothing.
    Thread: any. Ownership: none. Blocking: waits for a running job of the thread "remora-engine". With
    persist_overrides, also for file system calls, and up to 5 s for another client or process that stores overrides. */
remora_status remora_override_set(remora_source *source, const char *key, const char *pointer, const char *json,
                                  remora_flags flags, remora_error *error);

/** Clears the override at a place and all overrides inside it. Reads then return the values that were overridden.
    @param pointer JSON Pointer to the place in the value. NULL clears all overrides of the key.
    @return REMORA_OK if an override was cleared, even if the storage has failed. Also REMORA_OK while the stored
            overrides cannot be read: if they can be read later and contain the override, it is cleared then.
            REMORA_ERR_NOT_FOUND if no override exists. REMORA_ERR_CORRUPT or _TOO_LARGE as for remora_override_set.
    Thread: any. Ownership: none. Blocking: waits for the same as remora_override_set; see there. */
remora_status remora_override_clear(remora_source *source, const char *key, const char *pointer, remora_error *error);

/** Clears all overrides of a source.
    @return REMORA_OK, also if no override existed, and also if the storage has failed. REMORA_ERR_CORRUPT or
            REMORA_ERR_TOO_LARGE as for remora_override_set.
    Thread: any. Ownership: none. Blocking: waits for the same as remora_override_set; see there. */
remora_status remora_override_clear_all(remora_source *source, remora_error *error);

/** An override, valid during the call of the remora_override_visitor. Lengths are in bytes, without the NUL. */
typedef struct remora_override {
  size_t struct_size;  /**< Size in bytes, set by the library. */
  const char *key;     /**< NUL-terminated. */
  size_t key_length;
  const char *pointer; /**< JSON Pointer, NUL-terminated; "" is the whole value. */
  size_t pointer_length;
  const char *json;    /**< Canonical JSON text, NUL-terminated. */
  size_t json_length;
} remora_override;

/** Receives one override of a source; see remora_override_foreach. Returns 0 to continue, any other number to stop. */
typedef int32_t (*remora_override_visitor)(const remora_override *entry, void *user_data);
/** Calls a visitor once for each override that the source has when this function is called. The overrides are sorted by
    the bytes of the key, then of the JSON Pointer. */
remora_status remora_override_foreach(remora_source *source, remora_override_visitor visitor, void *user_data,
                                      remora_error *error);

/* ------------------------------------------------------------- seeding --- */
/** The source of a seed (data that an installer saves before the program runs). Set exactly one of collection, bundle
    and settings, with the values that the program uses. */
typedef struct remora_seed_options {
  size_t struct_size;                          /**< Set by REMORA_INIT. */
  const remora_collection_options *collection; /**< A collection; NULL if the seed is for another source. If it is set,
                                                    remora_seed_save needs a file that `remora dump` has written. */
  const remora_bundle_options *bundle;         /**< A bundle that has a url; NULL if the seed is for another source. */
  const remora_settings_options *settings;     /**< Settings with memory_only 0; NULL if the seed (data that an
                                                    installer saves for the first start) is for another source. */
  const char *identifier;                      /**< Name of the program that downloads a seed of settings: the query
                                                    item "identifier" of remora_seed_request. Default "seed". */
  int64_t fetched_at_ms;                       /**< The time of the download; default: the time at which the file was
                                                    last modified. A time that is more than a minute in the future
                                                    is unknown: the seed then replaces no stored data. */
} remora_seed_options;

/* The parts of the request with which a seed is downloaded. */
typedef int32_t remora_seed_part;
#define REMORA_SEED_URL 1     /**< The URL to download. */
#define REMORA_SEED_METHOD 2  /**< "GET", or "POST" with an empty body. */
#define REMORA_SEED_HEADERS 3 /**< The headers to send: lines of the form "Name: value", each ended by "\n". */

/** Writes the URL, the method or the headers of the request with which an installer downloads a seed (data for the next
    opening of a source); `part` selects one of them. Sends no request. The headers are those of config, plus the
    User-Agent unless they contain one. If the source is settings, query items are added to the URL, percent-encoded:
    "identifier" (identifier of options), "app", "version" and "build" (application_name, application_version and
    application_build of config). If identifier is NULL, "seed" is sent; another item is omitted if its field is NULL.
    An item that url or request_params already has is not added. The items do not affect which source uses the seed.
    @param config  The configuration; storage_dir is not used.
    @param options The source; not NULL. A collection, or a bundle without url, is an invalid argument.
    Thread: any. Ownership: none. Blocking: no. */
remora_status remora_seed_request(const remora_config *config, const remora_seed_options *options,
                                  remora_seed_part part, char *buffer, size_t size, size_t *out_length,
                                  remora_error *error);

/** Checks the file that an installer has downloaded, and saves the file as the seed of a source (data for its next
    opening). The file is decoded as strictly as a response of the server. The seed of a collection must also pass the
    verification of the signature and certificate chain in the file, unless trust is REMORA_TRUST_OFF. The new seed
    replaces an older seed that no opening has used yet. If the function fails, the older seed stays. If a part of the
    file is ignored, on_log is called with a warning, on the calling thread.

    If the seed is newer than all stored data, the next opening uses the seed, with origin REMORA_ORIGIN_CACHED, and
    removes the seed file. If no cache exists, reads return the seed at once. Otherwise, the option `activation` of the
    source determines when reads return it. Sources that are open are not affected. docs/seeding.md has the details.
    @code
    remora_seed_options seed;
    REMORA_INIT(&seed);
    seed.settings = &settings; // as the program opens them
    remora_seed_request(&config, &seed, REMORA_SEED_URL, text, sizeof text, &length, &error);
    download(text, "seed.json");
    remora_seed_save(&config, &seed, "seed.json", &error);
    @endcode
    @param config  The configuration. The function uses only storage_dir (a directory, not REMORA_STORAGE_MEMORY),
                   max_body_bytes, log_level, on_log and on_log_user_data; for a collection also server and bucket.
    @param options The source; must not be NULL.
    @param file    The path of the downloaded file.
    @return REMORA_OK; storage errors; document errors, if the file is faulty; for a collection also trust errors and
            REMORA_ERR_FUTURE. See REMORA_FAMILY_… for these kinds of errors. REMORA_ERR_STORAGE is also returned if
            another thread or process takes 5 s to save or remove a seed of the source.
    Thread: any. Ownership: none. Blocking: waits for file system calls, and at most 5 s for another thread or process
    that saves or removes a seed. For a collection, also waits for a running job of the thread "remora-engine". */
remora_status remora_seed_save(const remora_config *config, const remora_seed_options *options, const char *file,
                               remora_error *error);

/* ----------------------------------------------------------- host loop --- */
/** Gets a file descriptor that becomes readable when callbacks are queued for remora_dispatch. Use the descriptor in
    select, poll and epoll, level- or edge-triggered. Never read, write or close it. It can be readable although no
    callback is waiting. Remove it from the loop before remora_client_close. After fork(), call this function again in
    the child, because the descriptor of the parent is not valid there.
    @param client A client with REMORA_CALLBACKS_ON_DISPATCH; any other is an invalid argument.
    @param out_fd Receives the descriptor, which is the same at every call. A daemon that has closed all its descriptors
                  must call this function again, which then opens another one.
    Thread: any. Ownership: the client owns the descriptor. Blocking: no. */
remora_status remora_client_get_fd(remora_client *client, int32_t *out_fd, remora_error *error);

/** Runs the callbacks that were queued before the call. Callbacks that are queued during the call run in the next call,
    so that the program's loop is not delayed. If a callback closes the client, no further callback runs, and the client
    must not be used again.
    @code
    int32_t fd = -1;
    remora_client_get_fd(client, &fd, &error);
    struct pollfd wait = {fd, POLLIN, 0};
    while (poll(&wait, 1, -1) > 0) remora_dispatch(client, NULL, NULL);
    @endcode
    @param client    A client with REMORA_CALLBACKS_ON_DISPATCH; any other is an invalid argument.
    @param out_count Receives the number of callbacks that have run. May be NULL.
    @return REMORA_OK, even if no callback was queued. REMORA_ERR_BUSY if another thread is in this function for the
            same client, or if a callback calls this function.
    Thread: any, one at a time per client. Ownership: none. Blocking: waits only for the callbacks. */
remora_status remora_dispatch(remora_client *client, size_t *out_count, remora_error *error);

#ifdef __cplusplus
}
#endif

#endif /* REMORA_H */
