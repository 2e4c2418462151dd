/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file remora.h A C library that fetches, verifies and caches configuration from a server, for programs to read from
 * memory.
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
 * config.application_name = "host";
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
 * Words. "The program" is the program that uses Remora. A *source* is a set of settings that is fetched as a unit: a
 * collection, a bundle or a settings dictionary. A *key* is the name of one value in a source: the id of a record, a
 * namespace, or a member of the dictionary. A *snapshot* is an immutable view of one version of a source. Getters
 * (remora_get_…) and new snapshots read the *live* version. A *staged* version is stored, and becomes live later.
 * *Packaged* data is shipped with the program. A *seed* is data that an installer saves before the program runs. An
 * *override* is a value that the program sets in place of a fetched one. A *backoff* is a pause that a server has
 * requested. A *monitor* is a Remote Settings server's list of collections with their timestamps. See docs/glossary.md.
 *
 * Defaults. Comments of functions, or of their groups, state only differences from these:
 * - Thread: any, even inside callbacks and visitors.
 * - Ownership: none changes, except that functions that close, release or unsubscribe consume their handle. Returned
 *   names and versions are constant strings.
 * - Blocking: no. The function does not wait for requests, files, callbacks, other processes or the library's threads.
 * - Since: 0.1.
 *
 * Blocking. Functions that can wait have these entries; docs/threading.md#what-each-function-waits-for has the time
 * limits. The thread "remora-engine" does a process's background work in small jobs, such as decoding a response.
 * - files: The function accesses local files. It may also wait for a running job of "remora-engine", and a few seconds
 *   for another client or process that has locked a file.
 * - engine: The function waits for a running job of "remora-engine".
 * - callbacks: The function waits for callbacks that are running.
 * - at most timeout_ms: The function waits for requests, files, and other clients and processes.
 *
 * Conventions, unless a comment states otherwise:
 * - If an argument is NULL, a function returns REMORA_ERR_INVALID_ARGUMENT. `options` (for the defaults) and
 *   `out_length` may be NULL. Functions that close, release, cancel or unsubscribe ignore NULL.
 * - Comments omit these parameters: the first handle, `user_data`, `error`, and outputs that the summary describes.
 * - A function without @return returns REMORA_OK, or an error that every function can return; see remora_status.
 * - Outputs are written only if the function returns REMORA_OK.
 * - If a change takes effect but cannot be stored, such as on a full disk, the function returns REMORA_OK, and
 *   storage_error in remora_source_info has the reason.
 * - `error` receives the details of a failure, and may be NULL. On success its numbers are 0 and its texts empty.
 * - In outputs, the number 0 means none or unknown. Later versions add statuses, families, causes, outcomes, origins,
 *   source kinds and log levels, so a program must accept unknown numbers. An unknown outcome without an error is a
 *   success. For an unknown cause, compare the snapshots of the event. But an unknown number or flag that a program
 *   passes is an invalid argument.
 * - Strings, arrays and data that are passed in are copied. Strings are NUL-terminated UTF-8. Lengths are in bytes,
 *   without the NUL. A JSON string may contain U+0000.
 * - Functions that write text work like snprintf: `buffer` receives at most `size` bytes, including the NUL, and may be
 *   NULL if size is 0. `out_length`, or the number that a getter returns, is the length of the whole text. If this
 *   length is `size` or more, the text was truncated at a character boundary.
 * - `visitor` is called on the calling thread before the function returns. If the visitor returns 0, the iteration
 *   continues; any other number stops it, and the function returns REMORA_OK.
 * - While a function consumes a handle, or releases its last reference, no other thread may use the handle; afterwards
 *   no thread may. Exception: a client may be closed while calls on its sources wait. Handles may be released in any
 *   order.
 * - Structures that a callback or visitor receives are valid until it returns. To keep a snapshot or attachment, retain
 *   it. A callback must return: it must not throw or call longjmp.
 * - The caller releases each reference that a _retain function has added. The last release frees the object.
 * - `pointer` is a JSON Pointer (RFC 6901) into a value: "/a/0" is element 0 of "a". NULL and "" mean the whole value.
 *   A malformed pointer is an invalid argument. But getters return their default, and log a warning once.
 * - Durations are in milliseconds. In an options field, 0 selects the default, and -1 turns the limit or interval off.
 *   If a timeout argument is 0, no request is sent; a call that needs one returns REMORA_ERR_TIMEOUT. If it is -1, only
 *   the limits in remora_config apply. Any other negative number is an invalid argument.
 * - Points in time (…_at_ms, timestamps) are in milliseconds since 1970; 0 means "never".
 * - `user_data` is passed to the callback. If the callback can run after the function has returned, the function also
 *   takes `free_user_data`. The library calls free_user_data exactly once: after the last call of the callback, or
 *   before the function returns an error. Exceptions: the structure that contains free_user_data has an invalid
 *   struct_size, or the process exits. Both parameters may be NULL.
 *
 * Structures. REMORA_INIT clears a structure that begins with `struct_size`, and sets its size. Use it for options, and
 * for structures that a function fills. The library sets the size of structures that it passes to callbacks. A field of
 * options that is 0 or NULL selects its default: none, unless its comment or its type states another. Later versions
 * can add fields at the end of these structures, but not of remora_error and remora_value. A program works with an
 * older or newer library than the one it was compiled for. Fields of options that an older library does not know must
 * be 0. In structures that the library fills, use REMORA_HAS before you read a field that a later version has added.
 *
 * Processes. After fork(), the child can call all functions. Running calls continue in the parent only. If a callback
 * on a thread of Remora forks, the child must call exec or exit before the callback returns. See
 * docs/threading.md#fork.
 *
 * Exit. While the process exits, functions that would wait, start a thread or call a visitor return REMORA_ERR_CLOSED.
 * Once Remora's exit handler has begun, the library calls no function of the program.
 *
 * Caveats:
 * - The storage directory must be on a local file system. If another program of the same user truncates a mapped file,
 *   this process can receive SIGBUS.
 * - A refresh needs up to 256 MiB of memory, plus 32 bytes for each byte of the response. If memory is scarce, lower
 *   max_body_bytes. If no memory is left, most calls return REMORA_ERR_UNAVAILABLE, but the Swift runtime aborts the
 *   process if one of its own allocations fails.
 */
#ifndef REMORA_H
#define REMORA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------- version --- */
/* The header's version. */
#define REMORA_VERSION_MAJOR 0
#define REMORA_VERSION_MINOR 1
#define REMORA_VERSION_PATCH 0
#define REMORA_VERSION "0.1.0"

/** Returns the version of the loaded library, such as "0.1.0". */
const char *remora_version(void);

/** Sets all bytes of a structure to 0, and its first field to struct_size. In C and C++, use REMORA_INIT. Does nothing
    if structure is NULL. */
void remora_init(void *structure, size_t struct_size);

/** Initialises a structure by its address: REMORA_INIT(&config). */
#define REMORA_INIT(structure) remora_init((structure), sizeof *(structure))

/** Tests whether a structure that the library filled has a field: REMORA_HAS(remora_event, event, namespaces). */
#define REMORA_HAS(type, structure, field) \
  ((structure)->struct_size >= offsetof(type, field) + sizeof((structure)->field))

/* --------------------------------------------------------------- types --- */
typedef int32_t remora_bool;   /**< 0 or 1; other numbers are invalid. */
typedef uint32_t remora_flags; /**< Flags of a function, combined with |. */

/* -------------------------------------------------------------- errors --- */
/** The result of a call: REMORA_OK, or a negative code. The hundreds of a code identify its family: codes from -100 to
    -199 belong to family 1, and so on; -1 to -99 are never used. Compare the code or its family, not the message.
    docs/errors.md has advice for each code.

    Comments of functions name families, such as "network errors", and only codes that need an explanation. They omit
    REMORA_ERR_INVALID_ARGUMENT, REMORA_ERR_CLOSED, REMORA_ERR_UNAVAILABLE and REMORA_ERR_INTERNAL, which nearly every
    function can return, and REMORA_ERR_BUSY inside a remora_send_callback.
    @code
    if (remora_status_family(error.status) == REMORA_FAMILY_NETWORK) refresh_in(error.retry_after_ms);
    @endcode */
typedef int32_t remora_status;
typedef int32_t remora_family; /**< REMORA_FAMILY_…, or a family of a later version. */

#define REMORA_OK 0 /**< Success. */

#define REMORA_FAMILY_NONE 0 /**< The family of REMORA_OK. */

#define REMORA_FAMILY_NETWORK 1    /**< "Network errors": no usable response. Retry after retry_after_ms. */
#define REMORA_ERR_NETWORK (-100)  /**< The connection failed or was lost, or a timeout of remora_config expired. */
#define REMORA_ERR_TLS (-101)      /**< The TLS handshake failed, or the server's certificate is not trusted. */
#define REMORA_ERR_HTTP (-102)     /**< The server returned an HTTP error, such as 404; see http_status. */
#define REMORA_ERR_REDIRECT (-103) /**< Too many redirects, or a redirect to a URL that is not allowed. */
#define REMORA_ERR_BACKOFF (-104)  /**< The server asked clients to wait, so no request was sent; see retry_after_ms. */

#define REMORA_FAMILY_DOCUMENT 2    /**< "Document errors": a document is unusable. */
#define REMORA_ERR_PARSE (-200)     /**< The document is not JSON, or exceeds a limit; see docs/errors.md. */
#define REMORA_ERR_FORMAT (-201)    /**< The document does not have the form that the protocol requires. */
#define REMORA_ERR_TOO_LARGE (-202) /**< A body, header or document exceeds its limit. */
#define REMORA_ERR_REJECTED (-203)  /**< The server still has a version that remora_reject has rejected. */
#define REMORA_ERR_SCHEMA (-204)    /**< The document violates `schema`, min_keys, min_keys_percent or required_keys. */

#define REMORA_FAMILY_TRUST 3                 /**< "Trust errors": a signature, certificate chain or hash is invalid. */
#define REMORA_ERR_SIGNATURE_MISSING (-300)   /**< The response has no p384ecdsa signature. */
#define REMORA_ERR_SIGNATURE_MALFORMED (-301) /**< The signature is not base64url, or not 96 bytes long. */
#define REMORA_ERR_SIGNATURE_MISMATCH (-302)  /**< The records or the timestamp differ from the signed ones. */
#define REMORA_ERR_CHAIN_MALFORMED (-303)     /**< The certificate chain is not in PEM form, or is too long. */
#define REMORA_ERR_CHAIN_INVALID (-304)       /**< In the certificate chain, a signature, key usage or name constraint
                                                   is invalid. */
#define REMORA_ERR_CHAIN_LOCATION (-305)      /**< The certificate chain's URL (x5u) is not https or not trusted. */
#define REMORA_ERR_CERTIFICATE_EXPIRED (-306) /**< A certificate of the chain has expired or is not yet valid. */
#define REMORA_ERR_CERTIFICATE_SUBJECT (-307) /**< The leaf certificate does not contain the expected DNS name. */
#define REMORA_ERR_ROOT_MISMATCH (-308)       /**< The root certificate has an unexpected SHA-256. */
#define REMORA_ERR_ATTACHMENT_MISMATCH (-309) /**< The size or SHA-256 of an attachment differs from its record. */

#define REMORA_FAMILY_FRESHNESS 4      /**< "Freshness errors": the document is genuine, but its timestamp is not
                                            acceptable. */
#define REMORA_ERR_FUTURE (-400)       /**< The timestamp is further in the future than max_future_ms allows. */
#define REMORA_ERR_EQUIVOCATION (-401) /**< Other content was accepted before with the same timestamp. */

#define REMORA_FAMILY_STORAGE 5      /**< "Storage errors": the storage directory is unusable, or a file is damaged. */
#define REMORA_ERR_STORAGE (-500)    /**< A system call failed, or another client or process locked a file too long. */
#define REMORA_ERR_PERMISSION (-501) /**< A file or directory is owned by another user, or writable for other users. */
#define REMORA_ERR_CORRUPT (-502)    /**< A stored source or attachment is damaged, or was changed while in use. */

#define REMORA_FAMILY_SYSTEM 6        /**< "System errors": a system resource is missing, or Remora has a bug. */
#define REMORA_ERR_UNAVAILABLE (-600) /**< No memory, thread or descriptor is left, or libcurl or libcrypto cannot be
                                           loaded. */
#define REMORA_ERR_INTERNAL (-601)    /**< A bug in the library; please report it. */

#define REMORA_FAMILY_CALL 7               /**< The call is wrong or was cancelled, a value does not exist, a time limit
                                                expired, or the object is closed. */
#define REMORA_ERR_INVALID_ARGUMENT (-700) /**< An argument is NULL, malformed or out of range. */
#define REMORA_ERR_NOT_FOUND (-701)        /**< The key, member or element does not exist, or is null. */
#define REMORA_ERR_WRONG_TYPE (-702)       /**< The value has another type, or cannot be converted exactly. */
#define REMORA_ERR_TIMEOUT (-703)          /**< The timeout that the caller passed has expired. */
#define REMORA_ERR_CANCELLED (-704)        /**< The call was cancelled by remora_request_cancel or remora_reset. */
#define REMORA_ERR_CLOSED (-705)           /**< The client or source is closed, or the process is exiting. */
#define REMORA_ERR_BUSY (-706)             /**< remora_dispatch is already running, or a transport's callback made a
                                                call that waits. */

/** Details of a failure. The caller provides the memory, which needs no initialisation. */
typedef struct remora_error {
  remora_status status;   /**< The status that the function returned. */
  int32_t http_status;    /**< The HTTP status; 0 if no response arrived. */
  int64_t retry_after_ms; /**< Time to wait before a retry, in milliseconds; 0 if unknown. */
  int32_t system_code;    /**< The errno of a storage error, or libcurl's code of a network error. */
  int32_t reserved[19];   /**< Room for later versions: 0 after a failure, not written on success. */
  char parameter[48];     /**< For REMORA_ERR_INVALID_ARGUMENT, the parameter or field, such as "timeout_ms". */
  char source_name[112];  /**< As in remora_source_info; "" if the failure concerns no single source. May be
                               truncated. */
  char message[384];      /**< A sentence that describes the failure; may be truncated. If `parameter` is not empty,
                               `message` begins with it and contains no other name of the C API. */
} remora_error;

/** Returns the name of a status, such as "REMORA_ERR_NOT_FOUND"; "REMORA_ERR_UNKNOWN" for an unknown number. */
const char *remora_status_name(remora_status status);

/** Returns the family of a status, even of a later version's status. Numbers above -100 have the family
    REMORA_FAMILY_NONE. */
remora_family remora_status_family(remora_status status);

/** Returns the name of a family, such as "network" or "none"; "unknown" for an unknown number. */
const char *remora_family_name(remora_family family);

/* ------------------------------------------------------------- handles --- */
typedef struct remora_client remora_client;             /**< Opens sources; closed by remora_client_close. */
typedef struct remora_source remora_source;             /**< Settings to fetch; closed by remora_source_close. */
typedef struct remora_snapshot remora_snapshot;         /**< A source's version; released by remora_snapshot_release. */
typedef struct remora_key remora_key;                   /**< Caches one value; released by remora_key_release. */
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
#define REMORA_ORIGIN_DEFAULT 1  /**< The default bundle; see default_bundle of remora_bundle_options. */
#define REMORA_ORIGIN_PACKAGED 2 /**< Packaged data. */
#define REMORA_ORIGIN_CACHED 3   /**< Read from storage: fetched by an earlier client, restored by remora_reject, or
                                      saved as a seed. */
#define REMORA_ORIGIN_FETCHED 4  /**< Fetched or revalidated, by any process, since this client was created. */
#define REMORA_ORIGIN_OVERRIDE 5 /**< Only for a key: its value contains an override. */

/* The outcome of a refresh. NONE, UPDATED, UNCHANGED, NOT_NEWER and STAGED are successes: the status is REMORA_OK. */
typedef int32_t remora_outcome;
#define REMORA_OUTCOME_NONE 0
#define REMORA_OUTCOME_UPDATED 1   /**< A new version is live. */
#define REMORA_OUTCOME_UNCHANGED 2 /**< The server has nothing newer than the local data. */
#define REMORA_OUTCOME_NOT_NEWER 3 /**< The response is not used: its version is below the highest accepted one
                                        (bundle: or equal, but different). */
#define REMORA_OUTCOME_STAGED 4    /**< A new version is staged. */
#define REMORA_OUTCOME_REFUSED 5   /**< A response arrived, but it failed a check and is not used. */
#define REMORA_OUTCOME_FAILED 6    /**< No usable response arrived, or the response exceeds a limit
                                        (REMORA_ERR_TOO_LARGE). */

/* The reason for an event. */
typedef int32_t remora_cause;
#define REMORA_CAUSE_OPENED 1    /**< The first event of on_event, or with REMORA_SUBSCRIBE_REPLAY: the state of the
                                      source when the subscription began. */
#define REMORA_CAUSE_REFRESHED 2 /**< A refresh of this client has completed, even if another client or process sent the
                                      request. */
#define REMORA_CAUSE_ADOPTED 3   /**< New data was read from storage: another client or process fetched it, and no
                                      refresh of this client waited for it. */
#define REMORA_CAUSE_RESET 4     /**< remora_reset has deleted the fetched data. */
#define REMORA_CAUSE_CONTEXT 5   /**< remora_set_context has changed which records the filters hide. */
#define REMORA_CAUSE_OVERRIDE 6  /**< An override was set or cleared. */
#define REMORA_CAUSE_ACTIVATED 7 /**< remora_activate has made a staged version live. */
#define REMORA_CAUSE_REJECTED 8  /**< remora_reject has removed the live or the staged version. */
#define REMORA_CAUSE_FRESHNESS 9 /**< new_freshness differs from old_freshness. Not reported to subscribers of a key. */

/* Whether the last successful refresh is recent enough; see max_stale_ms. */
typedef int32_t remora_freshness;
#define REMORA_FRESHNESS_NONE 0  /**< max_stale_ms is not set, or the source is a bundle without url. */
#define REMORA_FRESHNESS_NEVER 1 /**< No refresh has succeeded. */
#define REMORA_FRESHNESS_FRESH 2 /**< checked_at_ms of remora_source_info is at most max_stale_ms ago. */
#define REMORA_FRESHNESS_STALE 3 /**< checked_at_ms is more than max_stale_ms ago, or over a minute in the future. */

/* The kind of change of a key. */
typedef int32_t remora_change_kind;
#define REMORA_CHANGE_CREATED 1
#define REMORA_CHANGE_UPDATED 2
#define REMORA_CHANGE_DELETED 3

/* The type of a value. */
typedef int32_t remora_type;
#define REMORA_TYPE_NONE 0 /**< The empty value; no snapshot contains it. */
#define REMORA_TYPE_NULL 1
#define REMORA_TYPE_BOOL 2
#define REMORA_TYPE_INT 3
#define REMORA_TYPE_DOUBLE 4
#define REMORA_TYPE_STRING 5
#define REMORA_TYPE_ARRAY 6
#define REMORA_TYPE_OBJECT 7

/** Returns the name of a constant of its type, such as "collection" or "fetched"; "unknown" for other numbers. */
const char *remora_source_kind_name(remora_source_kind kind);
const char *remora_origin_name(remora_origin origin);
const char *remora_outcome_name(remora_outcome outcome);
const char *remora_cause_name(remora_cause cause);
const char *remora_freshness_name(remora_freshness freshness);
const char *remora_change_kind_name(remora_change_kind kind);
const char *remora_type_name(remora_type type);

/* ------------------------------------------------- transport and clock --- */
/** A request that the program sends itself; see remora_transport and remora_seed_request. */
typedef struct remora_http_request {
  size_t struct_size;
  int64_t id;                 /**< For remora_respond: greater than 0, and unique in the process and its forked
                                   children. 0 for remora_seed_request. */
  const char *method;         /**< "GET" or "POST". The body is always empty. */
  const char *url;            /**< An absolute http or https URL. */
  const char *const *headers; /**< NULL-terminated array of "Name: value". */
} remora_http_request;

/** Sends a request of a client that has a remora_transport. Return at once: all requests of the process, and
    remora_reset, wait for the callback. Inside it, remora_reset and calls that wait for a request return
    REMORA_ERR_BUSY. Answer each request by one call of remora_respond, inside the callback or later, from any thread.
    Do not follow redirects: Remora checks their targets and sends new requests.
    Thread: "remora-engine", with no lock held. */
typedef void (*remora_send_callback)(const remora_http_request *request, void *user_data);

/** Called when a request is no longer needed, such as after a timeout: the program can abort the request, and need not
    answer it. If the client is closed, only free_user_data of remora_transport is called.
    Thread: "remora-engine", with no lock held. */
typedef void (*remora_cancel_callback)(int64_t request_id, void *user_data);

/** The functions with which the program sends the requests of a client, instead of libcurl. Use a transport in tests,
    or with another HTTP library. Remora still handles size limits, total_timeout_ms, redirects, conditional requests,
    backoffs and signatures; proxy, ca_file, client_certificate_file, client_key_file, connect_timeout_ms and
    stall_timeout_ms of remora_config are ignored. The client logs a warning. See docs/testing.md. */
typedef struct remora_transport {
  size_t struct_size;
  remora_send_callback send;     /**< Required. */
  remora_cancel_callback cancel;
  void *user_data;
  void (*free_user_data)(void *);
} remora_transport;

/** What a transport reports for a request: the server's response, or a failure. */
typedef struct remora_http_response {
  size_t struct_size;
  remora_status failure;      /**< REMORA_OK if a response arrived. Otherwise REMORA_ERR_NETWORK or REMORA_ERR_TLS, with
                                   which the request fails. */
  int32_t http_status;        /**< HTTP status, 200 to 599; 0 for a failure. */
  const char *message;        /**< Describes a failure; default "the program's transport failed". */
  const char *const *headers; /**< NULL-terminated array of "Name: value". Content-Encoding, Content-Length and
                                   Transfer-Encoding are ignored. */
  const void *body;           /**< The body, after all content encodings were decoded. NULL if body_size is 0. */
  size_t body_size;
} remora_http_response;

/** Answers a request that a remora_send_callback has received. The response is processed on the thread "remora-engine".
    @code
    remora_http_response response;
    REMORA_INIT(&response);
    response.http_status = 200;
    response.body = "{}";
    response.body_size = 2;
    remora_respond(request->id, &response, NULL);
    @endcode
    @return REMORA_OK, even if the response exceeds a limit: the refresh then fails. REMORA_ERR_NOT_FOUND if no request
            with this id waits for an answer, for example after a timeout. REMORA_ERR_INVALID_ARGUMENT if the
            response is malformed; the request then still waits. */
remora_status remora_respond(int64_t request_id, const remora_http_response *response, remora_error *error);

/** Reads a clock that the program supplies; see remora_clock.
    @param out_wall_ms      Receives the milliseconds since 1970 (UTC).
    @param out_monotonic_ms Receives the milliseconds since an arbitrary start. A number below the previous one is
                            ignored.
    Thread: the thread that calls remora_setup or remora_clock_changed, with no lock held. */
typedef void (*remora_clock_callback)(int64_t *out_wall_ms, int64_t *out_monotonic_ms, void *user_data);

/** A clock that replaces the machine's clocks for one client. Use it in tests, or if the machine's time is wrong and
    the program knows a better one. All clients of one storage directory should use the same time.

    The client reads the clock only in remora_setup and remora_clock_changed. Between these calls its time stands still:
    nothing expires or becomes due. The wall time determines freshness, schedules, backoffs and the validity of
    certificates; the monotonic time determines timeout_ms of calls. remora_setup logs a warning about the clock. See
    docs/testing.md#time-in-a-test. */
typedef struct remora_clock {
  size_t struct_size;
  remora_clock_callback read; /**< Required. */
  void *user_data;
  void (*free_user_data)(void *);
} remora_clock;

/** Makes all clients of the process read their remora_clock. Call it after the time of a remora_clock has changed.
    Waiting calls then return if their timeouts have expired, and due refreshes start, perhaps after this function has
    returned.
    @code
    test_time_ms += 3600 * 1000;
    remora_clock_changed();
    @endcode
    Blocking: files. */
void remora_clock_changed(void);

/* ----------------------------------------------------------- lifecycle --- */
/* Log levels. If log_level is L, on_log receives the lines of levels 1 to L. */
typedef int32_t remora_log_level;
#define REMORA_LOG_ERROR 1
#define REMORA_LOG_WARNING 2
#define REMORA_LOG_INFO 3
#define REMORA_LOG_DEBUG 4

/** A log line. */
typedef struct remora_log_entry {
  size_t struct_size;
  remora_log_level level;
  remora_source_kind kind; /**< 0 if the line concerns no single source. */
  const char *source_name; /**< As in remora_source_info; NULL if kind is 0. */
  const char *message;     /**< One line, beginning with the kind and name of the source, such as "collection
                                main/regions: …". */
} remora_log_entry;

/** Receives log lines. While 1,000 or more callback calls are queued, new log lines and attempt reports are dropped.
    Thread: "remora-events", or the thread that calls remora_dispatch; see remora_callback_mode. */
typedef void (*remora_log_callback)(const remora_log_entry *entry, void *user_data);

/** A completed attempt to refresh a source. */
typedef struct remora_attempt {
  size_t struct_size;
  const char *source_name;   /**< As in remora_source_info; "monitor/changes" for a monitor. */
  const char *server;        /**< As in remora_source_info. */
  remora_source_kind kind;   /**< REMORA_KIND_COLLECTION for a monitor. */
  remora_outcome outcome;    /**< UPDATED for a successful fetch of a monitor. */
  remora_status status;      /**< REMORA_OK if the outcome is a success. */
  int32_t http_status;       /**< HTTP status of the last request; 0 if no response arrived. */
  int64_t duration_ms;       /**< 0 if a sync sent no request for the source, because it was unchanged. */
  int64_t bytes;             /**< Size of all response bodies, after decompression. */
  const remora_error *error; /**< NULL if status is REMORA_OK. */
} remora_attempt;

/** Receives the outcome and cost of each refresh attempt, for telemetry. Attempts that a backoff prevents, and
    collections that a sync finds unchanged in the monitor, are reported too. Cancelled attempts, and refreshes by other
    processes, are not reported.
    Thread: as remora_log_callback. Called after the events of the refresh, and before its result callback. */
typedef void (*remora_attempt_callback)(const remora_attempt *attempt, void *user_data);

/* The threads on which callbacks run. */
typedef int32_t remora_callback_mode;
#define REMORA_CALLBACKS_ON_THREAD 0   /**< Callbacks run on the client's thread "remora-events". The default. */
#define REMORA_CALLBACKS_ON_DISPATCH 1 /**< Callbacks run inside remora_dispatch, on the calling thread. */

#define REMORA_SERVER_PROD "prod"   /**< Mozilla's production server. */
#define REMORA_SERVER_STAGE "stage" /**< Mozilla's staging server. */
#define REMORA_SERVER_DEV "dev"     /**< Mozilla's development server. */

/** A storage_dir that keeps data in memory only: nothing is stored or shared with other processes. */
#define REMORA_STORAGE_MEMORY ":memory:"

/** The configuration of a client. */
typedef struct remora_config {
  size_t struct_size;
  const char *storage_dir;          /**< Directory for all stored data, or REMORA_STORAGE_MEMORY. Required. A
                                         missing directory is created with its parents (mode 0700 less the umask). */
  const char *application_name;     /**< Sent in the default User-Agent header, and as "app" by remora_preconnect and
                                         seed requests; default "unknown". Without this field and user_agent, servers
                                         cannot identify the program, and the client logs a warning. */
  const char *application_version;  /**< For the default User-Agent header; default "0". */
  const char *application_build;    /**< For the default User-Agent header. */
  const char *server;               /**< Server of collections: REMORA_SERVER_PROD (the default), _STAGE or _DEV, or an
                                         http or https URL without query. Unless a URL ends in /v1 or /v2, /v2 is
                                         appended. */
  const char *bucket;               /**< Name of the bucket that contains the collections; default "main". */
  const char *proxy;                /**< [scheme://][user[:password]@]host[:port] or unix:/path. remora_setup refuses a
                                         proxy that cannot work. Environment variables are not read. */
  const char *ca_file;              /**< PEM file of trusted root certificates for TLS; default: libcurl's file.
                                         remora_setup refuses a file that cannot be read or has no certificate. */
  const char *const *headers;       /**< NULL-terminated array of "Name: value", sent with every request to the source's
                                         server, but not to other hosts, such as attachment hosts. */
  const char *user_agent;           /**< Value of the User-Agent header; replaces the default. */
  int64_t connect_timeout_ms;       /**< Time limit for connecting to a server; default 10,000. */
  int64_t stall_timeout_ms;         /**< Transfers slower than 100 bytes/s for this time are aborted; default 30,000. */
  int64_t total_timeout_ms;         /**< Time limit for a whole request; default 120,000. A process sends at most eight
                                         requests at a time to a server; others wait, and their waiting time counts. */
  int64_t max_body_bytes;           /**< Size limit of a decompressed response body; default 16 MiB, at most 256 MiB. */
  remora_log_level log_level;       /**< Default REMORA_LOG_WARNING. */
  remora_callback_mode callbacks;
  remora_log_callback on_log;       /**< The library itself never prints. */
  void *on_log_user_data;
  void (*on_log_free_user_data)(void *);
  remora_attempt_callback on_attempt;
  void *on_attempt_user_data;
  void (*on_attempt_free_user_data)(void *);
  const remora_transport *transport; /**< Sends the requests instead of libcurl. */
  const remora_clock *clock;         /**< Replaces the machine's clocks. */
  const char *client_certificate_file; /**< PEM file of the client's TLS certificate and chain, for the source's server.
                                            The file is read for each new connection, so that it can be replaced.
                                            remora_setup refuses a file that cannot be read. */
  const char *client_key_file;         /**< PEM file of the private key for client_certificate_file, read for each new
                                            connection; default: the same file. */
  int64_t max_stale_ms;                /**< Data becomes REMORA_FRESHNESS_STALE when its last successful refresh is
                                            longer ago than this. Set it to three refresh intervals, for example, to
                                            notice that updates no longer arrive. Default: off. See
                                            docs/refreshing.md#freshness. */
} remora_config;

/** Creates a client, which owns sources, a storage directory and network settings. No request is sent. If the storage
    directory cannot be written, belongs to another user or is writable for all users, the function succeeds, but the
    client keeps its data in memory. The log, events and remora_source_get_info report this storage error.
    @return REMORA_OK; REMORA_ERR_STORAGE if storage_dir is not a directory.
    Ownership: the caller closes the client. Blocking: files. */
remora_status remora_setup(const remora_config *config, remora_client **out_client, remora_error *error);

/** Closes a client. Requests are aborted, and waiting calls return REMORA_ERR_CLOSED. After the close, no callback
    starts, and free_user_data has been called for each user_data. For queued callbacks, see docs/threading.md#close.

    Source handles stay valid until they are closed, but getters return their default, and other calls
    REMORA_ERR_CLOSED. Snapshots and attachments remain readable. Inside a callback of any client, the function returns
    at once, and the close completes when that callback returns.
    Blocking: callbacks, and at most 200 ms for requests. */
void remora_client_close(remora_client *client);

/** Opens a connection before it is needed, so that the first request is faster. Call it at the start of a program, even
    before remora_setup. It sends a GET request in the background. The next request to the same scheme, host and port
    uses the connection, if its client has the same proxy, ca_file and client certificate. See docs/refreshing.md.
    @code
    remora_preconnect(&config, "https://settings.example/app", NULL, NULL);
    @endcode
    @param config   Only application_name (required here), proxy, ca_file, client_certificate_file, client_key_file,
                    user_agent, connect_timeout_ms and total_timeout_ms (default 30,000) are used. No callback is
                    called, and no user data freed. If transport is set, nothing is sent.
    @param url      An http or https URL without a fragment, of at most 8,192 bytes. The query items "app"
                    (application_name) and "platform" are added to it.
    @param platform The value of the query item "platform"; NULL means "linux".
    @return REMORA_OK if the request was started. The log contains its result. */
remora_status remora_preconnect(const remora_config *config, const char *url, const char *platform,
                                remora_error *error);

/* -------------------------------------------------------------- events --- */
/** A value inside a snapshot, valid as long as the snapshot. Passed by value. The members are private. {NULL, NULL} is
    the empty value, whose type is REMORA_TYPE_NONE. */
typedef struct remora_value {
  const void *node;
  const void *region;
} remora_value;

/** A changed key. */
typedef struct remora_change {
  size_t struct_size;
  remora_change_kind kind;
  remora_origin origin;    /**< The origin of the new value; NONE if the key was deleted. */
  const char *key;
  size_t key_length;
  remora_value old_value;  /**< The empty value if the key was created. */
  remora_value new_value;  /**< The empty value if the key was deleted. */
} remora_change;

/** An A/B experiment of settings; see remora_experiment_find. */
typedef struct remora_experiment {
  size_t struct_size;
  const char *name;
  size_t name_length;
  const char *variant;   /**< "" if the server sent none. */
  size_t variant_length;
  double trackable;      /**< A number for your analytics, which Remora does not interpret. */
  remora_value settings; /**< The keys that the experiment affects: an array of strings, or the empty value. */
} remora_experiment;

/** An event of a source. */
typedef struct remora_event {
  size_t struct_size;
  remora_source *source;   /**< The handle with which the callback was registered. In on_event, use this handle, because
                                the opening call may not have returned yet, and do not close it. */
  const char *source_name; /**< As in remora_source_info. */
  remora_source_kind kind;
  remora_cause cause;
  remora_outcome outcome;  /**< For cause REFRESHED, the outcome of the refresh. Otherwise STAGED if the event reports a
                                staged version, else NONE. */
  remora_origin origin;    /**< The origin of new_snapshot. */
  int64_t version;         /**< Version of new_snapshot. */
  const remora_change *const *changes; /**< The changed keys, sorted: changes[0]->key, and so on. A subscriber of a key
                                            receives only that key. */
  size_t change_count;                 /**< Always 0 for cause OPENED. */
  const remora_snapshot *old_snapshot;      /**< The snapshot that was live before; never NULL. */
  const remora_snapshot *new_snapshot;      /**< The snapshot that is live now; never NULL. */
  const remora_snapshot *staged_snapshot;   /**< The staged version, in every event while one exists; else NULL. */
  const remora_experiment *const *new_experiments; /**< NULL-terminated array of the experiments that the previous live
                                                        data did not have, or had with another variant. Each experiment
                                                        is reported once, by one of the processes that share a storage
                                                        directory. NULL without new experiments, and for subscribers of
                                                        a key. */
  size_t new_experiment_count;
  const remora_error *error;                /**< The reason if outcome is REFUSED or FAILED, else NULL. */
  const remora_error *storage_error;        /**< The last storage failure, such as a full disk; NULL if none. */
  const char *const *namespaces;            /**< If a bundle became live (at its opening, or as a newer version), a
                                                 NULL-terminated array of all its namespaces, in its order. NULL
                                                 in other events, and for subscribers of a key. */
  remora_freshness old_freshness;           /**< The same as new_freshness unless cause is FRESHNESS. */
  remora_freshness new_freshness;
} remora_event;

/** Receives events.
    Thread: "remora-events", or the thread that calls remora_dispatch. The callbacks of a client run one at a time, in
    the order of the events, with no lock held.
    @code
    static void on_change(const remora_event *event, void *user_data) {
      (void)user_data;
      for (size_t i = 0; i < event->change_count; i++) printf("%s: %s\n", event->source_name, event->changes[i]->key);
    }
    @endcode */
typedef void (*remora_event_callback)(const remora_event *event, void *user_data);

/* ------------------------------------------------------------- sources --- */
/* When a fetched version becomes live. See docs/activation.md. */
typedef int32_t remora_activation;
#define REMORA_ACTIVATION_DEFAULT 0    /**< NEXT_SETUP for settings whose `tag` is NULL; IMMEDIATE for other sources. */
#define REMORA_ACTIVATION_IMMEDIATE 1  /**< A fetched version becomes live at once. */
#define REMORA_ACTIVATION_NEXT_SETUP 2 /**< A fetched version becomes live when the source is opened again (by a later
                                            client, or after its last handle was closed), or by remora_activate. But if
                                            the source has no data at all, the first fetched version becomes live at
                                            once. */
#define REMORA_ACTIVATION_MANUAL 3     /**< Only remora_activate makes a fetched version live; a restart does not. */

/* Whether opening a source starts a refresh in the background. */
typedef int32_t remora_first_fetch;
#define REMORA_FIRST_FETCH_DEFAULT 0    /**< AT_OPEN for settings, for bundles with a url, and for collections whose
                                             refresh_interval_ms is set; ON_REQUEST for all others. */
#define REMORA_FIRST_FETCH_AT_OPEN 1    /**< Each opening starts a refresh. */
#define REMORA_FIRST_FETCH_ON_REQUEST 2 /**< Opening sends no request. The first request is sent by remora_refresh,
                                             remora_await or remora_sync, or within refresh_interval_ms. */

/** Options for sources of every kind. */
typedef struct remora_source_options {
  size_t struct_size;
  remora_first_fetch first_fetch; /**< AT_OPEN is an invalid argument for a bundle without url. */
  remora_bool persist_overrides;  /**< If 1, overrides are stored, and restored at the next opening. */
  int64_t refresh_interval_ms;    /**< Interval of refreshes in the background, at least 1,000, for programs that run
                                       for long. Default: off. See docs/refreshing.md. */
  remora_event_callback on_event; /**< Registered during the opening: its first event is the current state, as with
                                       REMORA_SUBSCRIBE_REPLAY. But a bundle without any data causes no first event. */
  void *on_event_user_data;
  void (*on_event_free_user_data)(void *);
  int32_t min_keys;               /**< A fetched version with fewer keys is refused (REMORA_ERR_SCHEMA), unless the
                                       refresh is forced. */
  int32_t min_keys_percent;       /**< A fetched version with less than this percentage of the previous version's keys
                                       is refused (REMORA_ERR_SCHEMA), unless the refresh is forced. */
  const char *schema;             /**< JSON Schema of a record, a bundle's element, or the dictionary of settings.
                                       Fetched data that violates it is refused (REMORA_ERR_SCHEMA). */
} remora_source_options;

/* How data is verified. */
typedef int32_t remora_trust;
#define REMORA_TRUST_REQUIRED 0 /**< The signature and its certificate chain must be valid. The default. */
#define REMORA_TRUST_OFF 1      /**< Nothing is verified. Only for servers that do not sign their data. */

/** A collection of a Remote Settings server, and how it is verified. */
typedef struct remora_collection_options {
  size_t struct_size;
  const char *name;                 /**< Name of the form [A-Za-z0-9_-]{1,128}, not starting with '-'. Required. */
  const char *bucket;               /**< Name of the bucket, same form as `name`; default: the bucket of the client. */
  const char *server;               /**< Server of the collection, as in remora_config; default: the client's server. */
  const char *root_sha256;          /**< SHA-256 of the root certificate (DER) of the signers: 64 hexadecimal digits,
                                         colons allowed. Default: the production root for REMORA_SERVER_PROD, otherwise
                                         the root of Mozilla's stage and development servers. */
  const char *signer;               /**< DNS name that the leaf certificate must contain. Default:
                                         "onecrl.content-signature.mozilla.org" if the name of the bucket contains
                                         "security-state", else "remote-settings.content-signature.mozilla.org". */
  remora_trust trust;
  remora_activation activation;
  const char *const *previous_roots; /**< NULL-terminated array of at most 8 earlier values of root_sha256, for a server
                                          that changes its root. Stored data that these roots verified stays readable
                                          until the first fetch with the current root. See docs/trust.md. */
  const char *const *trusted_hosts; /**< NULL-terminated array of "host" or "host:port" from which certificate chains
                                         may be downloaded, besides the hosts in docs/trust.md. */
  int64_t max_future_ms;            /**< How far in the future the timestamp of fetched data may be; default 24 h. See
                                         REMORA_ERR_FUTURE. */
  const char *packaged_file;        /**< JSON file with packaged data: {"data": [records], "timestamp": N}, each record
                                         with an "id" and an integer "last_modified". A member "metadata" with a
                                         signature and its certificate chain makes the first refresh or sync verify the
                                         data; see docs/trust.md. */
  const char *packaged_data;        /**< Packaged data in memory, instead of a file. */
  size_t packaged_size;
  const char *packaged_attachments; /**< Folder of packaged attachments, each named by the id of its record. */
} remora_collection_options;

/** Opens a collection of a Remote Settings server. Reads then return the local data with the highest timestamp: cached
    data, packaged data or a seed. By default no request is sent: call remora_refresh, or set first_fetch or
    refresh_interval_ms.

    - Repeated opening: collections with the same server, bucket, name, trust, root_sha256 and signer are one source of
      the client. A second handle uses only first_fetch and on_event of its options; the log names other options that
      differ.
    - Activation: the opening makes a staged version live, unless activation is MANUAL.
    - Damaged cache: the opening succeeds, the log and remora_source_get_info report the damage, and the next refresh
      replaces the cache.
    @return REMORA_OK, even if the first refresh cannot start: it is then reported as failed. If packaged data is
            unusable, or larger than 256 MiB: REMORA_ERR_STORAGE, _PARSE, _FORMAT or _TOO_LARGE.
    Ownership: the caller closes the source. Blocking: files. */
remora_status remora_open_collection(remora_client *client, const remora_collection_options *collection,
                                     const remora_source_options *options, remora_source **out_source,
                                     remora_error *error);

/** Closes a source handle. Its subscriptions and asynchronous calls end without a further callback; release their
    handles nevertheless. The source itself is closed with its last handle.
    Thread: any, but no other thread may use the handle. Blocking: callbacks. */
void remora_source_close(remora_source *source);

/** The state of a source. */
typedef struct remora_source_info {
  size_t struct_size;
  const char *name;           /**< For a collection, bucket and name, such as "main/regions". For settings, the URL
                                   without query, then "#" and `tag` if set. For a bundle, the URL without query
                                   (if none: "without a URL"), then a space and the option `name` if set. */
  const char *server;         /**< For a collection, the base URL of the server, which ends in /v1 or /v2. Otherwise the
                                   URL's scheme, host and port; "" for a bundle without url. */
  remora_source_kind kind;
  remora_origin origin;       /**< The origin of the live snapshot. */
  remora_bool has_staged;     /**< 1 if a version is staged. */
  int32_t filter_failures;    /**< Number of records that are hidden because their filter_expression could not be
                                   evaluated; see the log. */
  int64_t version;            /**< Version of the live snapshot, as in remora_snapshot_info. */
  int64_t fetched_at_ms;      /**< Time at which the live data was fetched. */
  int64_t checked_at_ms;      /**< Time of the last successful refresh by any process, not counting NOT_NEWER. */
  int64_t checked_age_ms;     /**< Time since checked_at_ms; -1 if no refresh has succeeded. */
  int64_t attempted_at_ms;    /**< Time of the last refresh attempt, by any process. */
  int64_t retry_after_ms;     /**< Remaining time of the server's backoff. */
  uint64_t generation;        /**< Increases each time a version of this source is stored. */
  remora_error last_error;    /**< Failure of the last refresh; status REMORA_OK if it succeeded. */
  remora_error storage_error; /**< The last failure to access a file of the source; status REMORA_OK if a later access
                                   succeeded. */
  remora_freshness freshness;
  int32_t reserved;           /**< Room for a later version: 0. */
  int64_t rejected_version;   /**< The newest rejected version. */
} remora_source_info;

/** Reads the state of a source.
    @code
    remora_source_info info;
    REMORA_INIT(&info);
    if (remora_source_get_info(source, &info, &error) == REMORA_OK)
      printf("%s: version %lld, from %s\n", info.name, (long long)info.version, remora_origin_name(info.origin));
    @endcode
    Ownership: name and server are valid until the handle is closed. Blocking: files. */
remora_status remora_source_get_info(remora_source *source, remora_source_info *out_info, remora_error *error);

/** Receives the state of one source. */
typedef int32_t (*remora_source_visitor)(const remora_source_info *info, void *user_data);
/** Calls a visitor with the state of each open source of a client, in the order of opening, for status pages. A source
    with several handles is visited once. A source that is closed meanwhile is skipped.
    Blocking: files. */
remora_status remora_source_foreach(remora_client *client, remora_source_visitor visitor, void *user_data,
                                    remora_error *error);

/** Returns a counter that increases each time another snapshot of a source becomes live; 0 if source is NULL. Use it to
    cache what you derive from values: read the counter, then the values, and derive again when the counter
    changes. */
int64_t remora_source_get_change_count(remora_source *source);

/* ------------------------------------------------------------- bundles --- */
/* The HTTP method. */
typedef int32_t remora_method;
#define REMORA_METHOD_GET 0  /**< The default. */
#define REMORA_METHOD_POST 1 /**< A POST with an empty body. */

/** A bundle: a versioned JSON document of namespaces, as in the remote configuration of Snowplow mobile trackers. */
typedef struct remora_bundle_options {
  size_t struct_size;
  const char *url;              /**< An http or https URL, optionally with a query, without user name, password or
                                     fragment, at most 8,192 bytes. The default scheme is https. If NULL, nothing is
                                     fetched: the bundle consists of its defaults and overrides. */
  const char *name;             /**< Distinguishes bundles with the same url, or without a url; default "". */
  const char *accepted_schema;  /**< The text that must follow http:// or https:// in `$schema` of a bundle. Default
                                     "iglucentral.com/schemas/com.snowplowanalytics.mobile/remote_config/jsonschema/1":
                                     it ends with the first number of the version, so 1-0-2 is accepted. */
  remora_method method;
  remora_activation activation; /**< Only DEFAULT or IMMEDIATE: a bundle becomes live at once. */
  const char *default_bundle;   /**< JSON of the default bundle: a whole bundle (schema and version are optional), or
                                     only its array configurationBundle. It is live until a bundle has been fetched. */
  int64_t default_version;      /**< Version of the default bundle, at least 1; 0: the version in default_bundle.
                                     Without a version, every fetched bundle counts as newer. */
} remora_bundle_options;

/** Opens a bundle. Reads then return the cached bundle, or the default bundle if none is cached. By default, a refresh
    starts in the background if url is set. See docs/bundles.md.

    - Keys: the namespaces. A value is the namespace's element in the document, a JSON object. Properties that the
      element lacks are read from the default bundle.
    - Versions: a fetched bundle is used only if its configurationVersion is higher than the versions of the live bundle
      and the default bundle.
    - Repeated openings, damaged caches and seeds: as in remora_open_collection. Bundles with the same url, method, name
      and accepted_schema are one source.
    @code
    remora_bundle_options bundle;
    REMORA_INIT(&bundle);
    bundle.url = "https://settings.example/bundle.json";
    if (remora_open_bundle(client, &bundle, NULL, &source, &error) == REMORA_OK)
      remora_get_string(source, "app", "/networkConfiguration/endpoint", text, sizeof text, "none");
    @endcode
    @return As remora_open_collection. REMORA_ERR_PARSE, _FORMAT or _TOO_LARGE if default_bundle has any fault, even one
            that only causes a warning in a fetched bundle.
    Ownership: the caller closes the source. Blocking: files. */
remora_status remora_open_bundle(remora_client *client, const remora_bundle_options *bundle,
                                 const remora_source_options *options, remora_source **out_source,
                                 remora_error *error);

/** A namespace of a bundle. */
typedef struct remora_namespace {
  size_t struct_size;
  const char *name;
  size_t name_length;
  remora_bool in_bundle;    /**< 1 if the live bundle lists the namespace; 0 if only an earlier bundle listed it, or an
                                 override created it. */
  remora_bool is_default;   /**< 1 if it is the first namespace of the default bundle. */
  remora_origin origin;     /**< As in remora_snapshot_get_origin. */
  remora_bool has_override; /**< 1 if the value contains an override. */
} remora_namespace;

/** Receives one namespace. */
typedef int32_t (*remora_namespace_visitor)(const remora_namespace *entry, void *user_data);
/** Calls a visitor with each namespace of a bundle, except those that the bundle removes. First come the namespaces
    that the bundle lists, in its order, then all others, sorted by the bytes of their names.
    @param source   A bundle; any other source is an invalid argument.
    @param snapshot A snapshot of this source, such as new_snapshot of an event. NULL means the live snapshot. */
remora_status remora_namespace_foreach(remora_source *source, const remora_snapshot *snapshot,
                                       remora_namespace_visitor visitor, void *user_data, remora_error *error);

/* ------------------------------------------------------------ settings --- */
/** Settings: one JSON object at a URL, whose members are the keys, as in the mobile SDK PAPulse. */
typedef struct remora_settings_options {
  size_t struct_size;
  const char *url;                   /**< As in remora_bundle_options, but the 8,192 bytes include the encoded
                                          request_params and the tag. Default
                                          "https://settings.picsart.com/api/settings". */
  const char *const *request_params; /**< NULL-terminated array of name, value, name, value, …: items, such as user or
                                          segment, that are added to the query of every request, percent-encoded. Only a
                                          digest of them is stored. */
  const char *root_key;              /**< The member of the document that contains the dictionary, 1 to 256 bytes.
                                          Default: the document is the dictionary. */
  const char *tag;                   /**< Name of an additional dictionary that the server provides under `url`, 1 to
                                          256 bytes. If set, this dictionary, with its own cache, is opened instead of
                                          the main one; see also remora_open_tag. */
  const char *tag_item;              /**< Name of the query item whose value is `tag`, 1 to 256 bytes; default "tag". */
  remora_activation activation;      /**< With a `tag`, only DEFAULT or IMMEDIATE. */
  remora_bool memory_only;           /**< If 1, nothing of these settings is stored. */
  int64_t ttl_ms;                    /**< How long data is fresh after a refresh; see remora_await. Default: as the
                                          server's Cache-Control header states, or one hour without this header; -1:
                                          never fresh. Data that is no longer fresh stays live; only a tag with a
                                          subscriber is then refreshed in the background. See docs/refreshing.md. */
  const char *packaged_file;         /**< File with packaged data, in the form that the server sends. This data is live
                                          until fetched data becomes live. */
  const char *packaged_data;         /**< Packaged data in memory, instead of a file. */
  size_t packaged_size;
  const char *const *required_keys;  /**< NULL-terminated array of keys. A fetched version that lacks one of these keys
                                          is refused (REMORA_ERR_SCHEMA), unless the refresh is forced. */
} remora_settings_options;

/** Opens settings. Reads then return the cached settings, or the packaged settings if none are cached. By default, a
    refresh starts in the background, and its data becomes live at the next start (REMORA_ACTIVATION_NEXT_SETUP), so
    that values do not change while the program runs. See docs/settings.md.

    - Keys: the members of the dictionary. A value is any JSON; null counts as missing. A key that a newly fetched
      dictionary lacks is removed.
    - Versions: the time of the fetch that delivered the content, or the previous version plus 1, whichever is higher.
    - Repeated openings, damaged caches and seeds: as in remora_open_collection. Settings with the same url,
      request_params, root_key, tag and (with a tag) tag_item are one source.
    @code
    remora_settings_options settings;
    REMORA_INIT(&settings);
    settings.url = "https://settings.example/app";
    if (remora_open_settings(client, &settings, NULL, &source, &error) == REMORA_OK)
      set_limit(remora_get_int(source, "limit", NULL, 10));
    @endcode
    @return As remora_open_collection.
    Ownership: the caller closes the source. Blocking: files. */
remora_status remora_open_settings(remora_client *client, const remora_settings_options *settings,
                                   const remora_source_options *options, remora_source **out_source,
                                   remora_error *error);

/** Opens a tag: an additional dictionary that the server provides under the url of opened settings. No request is sent
    until the program calls remora_await, for example.

    Fetched data becomes live at once. Opening the tag for each use is cheap, because its data stays in memory until the
    last handle of the settings is closed. Closing the settings does not close handles of the tag. The tag has most
    options of its settings: see docs/settings.md#rules.
    @code
    remora_source *editor = NULL;
    if (remora_open_tag(source, "editor", 0, &editor, &error) == REMORA_OK) {
      remora_await(editor, NULL, 500, NULL, &error); // if it fails, read the cached value or the default
      set_limit(remora_get_int(editor, "limit", NULL, 10));
      remora_source_close(editor);
    }
    @endcode
    @param settings Settings without a tag; any other source is an invalid argument.
    @param tag      1 to 256 bytes.
    @param ttl_ms   How long data of the tag is fresh. 0: as in the settings, -1: never. If the tag is already open with
                    another ttl_ms, that earlier value stays, and the log has a warning unless the new value is 0.
    Ownership: the caller closes the tag. Blocking: files. */
remora_status remora_open_tag(remora_source *settings, const char *tag, int64_t ttl_ms, remora_source **out_tag,
                              remora_error *error);

/** Finds an A/B experiment of settings by its name, with the variant that the server chose. Experiments are the
    items of the key `experiments`, an array or an object. See docs/settings.md#experiments.
    @code
    remora_experiment experiment;
    REMORA_INIT(&experiment);
    if (remora_experiment_find(snapshot, "paint", &experiment, NULL) == REMORA_OK) puts(experiment.variant);
    @endcode
    @return REMORA_OK; REMORA_ERR_NOT_FOUND.
    Ownership: the experiment is valid as long as the snapshot. */
remora_status remora_experiment_find(const remora_snapshot *snapshot, const char *name,
                                     remora_experiment *out_experiment, remora_error *error);

/** Receives one experiment. */
typedef int32_t (*remora_experiment_visitor)(const remora_experiment *experiment, void *user_data);
/** Calls a visitor with each experiment of a snapshot: in the order of the array `experiments`, or in the byte order of
    names if `experiments` is an object. */
remora_status remora_experiment_foreach(const remora_snapshot *snapshot, remora_experiment_visitor visitor,
                                        void *user_data, remora_error *error);

/** Replaces the `headers` of remora_config for requests that start from now on, such as after a token was renewed.
    Running requests keep their headers. The call ends a pause that a server requested with status 401 or 403.
    @code
    const char *headers[] = {"Authorization: Bearer renewed", NULL};
    remora_set_headers(client, headers, &error);
    @endcode
    @param headers NULL-terminated array with the rules of remora_config. NULL or an empty array removes the headers.
    @return REMORA_OK. On failure the headers do not change. */
remora_status remora_set_headers(remora_client *client, const char *const *headers, remora_error *error);

/* ------------------------------------------------------------- context --- */
/** Sets the context in which the filters of collections are evaluated. Set it each time the program starts, and again
    when it changes. A record is hidden from all reads and events if it has a `filter_expression` that is not true in
    this context.

    The context is a JSON object. Its members app_id, app_version, channel, locale, country, form_factor, os and
    os_version are strings or null, and `preferences` is an object. Expressions read any other member, of any type, as
    env.<name>. docs/filters.md has the members' names in expressions.

    When the function returns, all open sources have been filtered again. If this shows or hides records, subscribers
    receive an event.
    @code
    remora_set_context(client, "{\"locale\":\"de\",\"channel\":\"release\"}", &error);
    @endcode
    @param context_json At most 1 MiB, with a depth of at most 64. NULL removes the context.
    @return REMORA_OK. On failure the context does not change.
    Blocking: engine. */
remora_status remora_set_context(remora_client *client, const char *context_json, remora_error *error);

/** Evaluates a filter expression in a context, like the filter of a record. Use it for decisions per request or user,
    such as feature flags. A blank expression matches.
    @code
    remora_bool matches = 0;
    remora_filter_matches("env.plan == 'pro'", "{\"plan\":\"pro\"}", &matches, &error);
    @endcode
    @param expression   At most 16 KiB. docs/filters.md describes the language.
    @param context_json As for remora_set_context; NULL: as if remora_set_context had not been called.
    @param out_matches  Receives 1 if the result is the boolean true, else 0.
    @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT for `expression` if the evaluation fails. */
remora_status remora_filter_matches(const char *expression, const char *context_json, remora_bool *out_matches,
                                    remora_error *error);

/* ------------------------------------------------------------- refresh --- */
/** Options of a refresh, await or sync. */
typedef struct remora_refresh_options {
  size_t struct_size;
  remora_bool force;         /**< If 1, a request is sent even if the data is fresh, the server asked for a pause, or
                                  the monitor lists the collection as unchanged. Use it when a person asks for a
                                  refresh, never in loops. Only a forced refresh accepts an empty dictionary for
                                  settings that have keys; other refreshes refuse it (REMORA_ERR_FORMAT). */
  remora_bool only_if_empty; /**< If 1, no request is sent for a source that has any data, even staged data or data
                                  without keys. The status is then REMORA_OK, the outcome NONE. Not together with
                                  force. */
  int64_t expected_version;  /**< For collections: the timestamp in the push message about new data; for a sync, that in
                                  Mozilla's broadcast `remote-settings/monitor_changes`. 0: unknown. It is sent as
                                  the query item `_expected`, so that a cache on the way to the server cannot return
                                  older data. */
} remora_refresh_options;

/** Requests a newer version of a source from its server, and waits until the version is live or staged. Use it where
    the program can wait, such as in a worker or command-line tool, and remora_refresh_async elsewhere. To refresh only
    data that is not fresh, use remora_await.

    Concurrent refreshes of one source, unless forced, share one request. A failed refresh changes nothing: the last
    good data stays live and stored. The function can return before subscribers are called.
    @param source      A bundle without url is an invalid argument.
    @param out_outcome Receives UPDATED, UNCHANGED, NOT_NEWER or STAGED; NONE if only_if_empty prevented a request. May
                       be NULL.
    @return REMORA_OK; REMORA_ERR_TIMEOUT; network, document, trust or freshness errors; REMORA_ERR_CORRUPT;
            REMORA_ERR_CANCELLED after remora_reset; REMORA_ERR_STORAGE if another client or process locks the source's
            files too long.
    Blocking: at most timeout_ms. */
remora_status remora_refresh(remora_source *source, const remora_refresh_options *options, int64_t timeout_ms,
                             remora_outcome *out_outcome, remora_error *error);

/** The result of an asynchronous call of a source. */
typedef struct remora_result {
  size_t struct_size;
  remora_source *source;               /**< The handle that was passed to the call. */
  remora_status status;                /**< As returned by the function without _async. */
  remora_outcome outcome;              /**< Set for remora_refresh_async, even on failure; NONE for other calls. */
  const remora_snapshot *snapshot;     /**< For a successful remora_await_async, the live snapshot; else NULL. */
  const remora_attachment *attachment; /**< For a successful remora_attachment_open_async, its attachment; else NULL. */
  const remora_error *error;           /**< NULL if status is REMORA_OK. */
} remora_result;

/** Receives the result of an asynchronous call. A function with the suffix _async starts the operation of the function
    without the suffix. If the _async function returns REMORA_OK, the callback is called exactly once, after the events
    of the refresh. But if the client or source handle is closed first, only free_user_data is called. When timeout_ms
    expires, the callback receives REMORA_ERR_TIMEOUT, and the request is cancelled unless other callers wait for it.

    `callback` and `out_request` may be NULL. out_request receives a handle to cancel the call.
    Thread: as remora_event_callback. Ownership: the caller releases the handle with remora_request_release.
    @code
    static void on_result(const remora_result *result, void *user_data) {
      (void)user_data;
      if (result->error) fprintf(stderr, "%s\n", result->error->message);
    }
    @endcode */
typedef void (*remora_result_callback)(const remora_result *result, void *user_data);

/** Starts a refresh like remora_refresh; see remora_result_callback. If callback is NULL, the refresh continues after
    the source handle is closed, until the source's last handle is closed.
    @code
    remora_request *request = NULL;
    remora_refresh_async(source, NULL, 5000, on_result, NULL, NULL, &request, &error);
    remora_request_cancel(request); // if the result is not needed
    remora_request_release(request);
    @endcode */
remora_status remora_refresh_async(remora_source *source, const remora_refresh_options *options, int64_t timeout_ms,
                                   remora_result_callback callback, void *user_data, void (*free_user_data)(void *),
                                   remora_request **out_request, remora_error *error);

/** Cancels an asynchronous operation. Its callback receives REMORA_ERR_CANCELLED, unless the operation has completed.
    In the report of a cancelled sync, each source without an outcome has this code. The HTTP request is cancelled too
    if no other caller waits for the response. Release the handle as well. */
void remora_request_cancel(remora_request *request);

/** Releases the handle of an asynchronous operation, without cancelling it. */
void remora_request_release(remora_request *request);

/** Refreshes a source if its data is not fresh, and returns the live snapshot. Use it where the program prefers current
    values, but can go on with old ones. Settings are fresh for ttl_ms after a refresh; collections and bundles are
    never fresh. remora_await ignores max_stale_ms.
    @code
    remora_snapshot *current = NULL;
    if (remora_await(source, NULL, 2000, &current, &error) != REMORA_OK) {
      fprintf(stderr, "%s\n", error.message);
      remora_snapshot_acquire(source, 0, &current, NULL);
    }
    start(current);
    remora_snapshot_release(current);
    @endcode
    @param out_snapshot May be NULL, for a program that reads by key.
    @return REMORA_OK if the data was refreshed, or no request was needed; otherwise the errors of remora_refresh.
    Ownership: the caller releases the snapshot. Blocking: at most timeout_ms. */
remora_status remora_await(remora_source *source, const remora_refresh_options *options, int64_t timeout_ms,
                           remora_snapshot **out_snapshot, remora_error *error);

/** Requests a fresh snapshot like remora_await; see remora_result_callback. If callback is NULL, the call prefetches
    data for later reads, and continues after the source handle is closed. */
remora_status remora_await_async(remora_source *source, const remora_refresh_options *options, int64_t timeout_ms,
                                 remora_result_callback callback, void *user_data, void (*free_user_data)(void *),
                                 remora_request **out_request, remora_error *error);

/** Deletes all fetched data of a source: the live and staged versions, a seed, the highest accepted version and the
    last error. Use it to recover after a server has signed a wrong timestamp. The packaged data or the default bundle
    becomes live, and the next refresh fetches everything. A running refresh fails with REMORA_ERR_CANCELLED. Overrides
    stay.
    @return REMORA_OK if the reset took effect, even if a file could not be removed. REMORA_ERR_STORAGE or
            REMORA_ERR_PERMISSION if the source's files cannot be used; then nothing was deleted.
    Blocking: files. */
remora_status remora_reset(remora_source *source, remora_error *error);

/* ---------------------------------------------------------- activation --- */
/** Makes the staged version live: in this process at once, and for every client that opens the source from now on. But
    other processes that have the source open keep their live version. Call remora_activate when a change cannot
    disturb, such as between two levels of a game. Or call it in the callback of an event with outcome STAGED, after a
    check of staged_snapshot. It works with every activation mode.
    @code
    remora_outcome outcome;
    if (remora_activate(source, NULL, &outcome, &error) == REMORA_OK) puts(remora_outcome_name(outcome));
    @endcode
    @param snapshot    The staged snapshot that the program has checked, so that no later version becomes live
                       unchecked. NULL: any staged version.
    @param out_outcome Receives UPDATED; UNCHANGED if `snapshot` is live already, or is NULL and no version is staged.
                       May be NULL.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND if the snapshot is neither staged nor live.
    Blocking: files. */
remora_status remora_activate(remora_source *source, const remora_snapshot *snapshot, remora_outcome *out_outcome,
                              remora_error *error);

/** Rejects the live or the staged version, because the program cannot work with it. A live version is replaced by
    the earlier version that was kept, else by packaged data or defaults: at once in this process, in others within
    about a second. Of a source, the newest rejected version is not accepted again until remora_reset. See
    docs/safe-rollouts.md.
    @param reason For the log. May be NULL.
    @return REMORA_OK, even if already rejected; REMORA_ERR_NOT_FOUND if the snapshot is neither live nor staged, or
            was not fetched.
    Blocking: files. */
remora_status remora_reject(remora_source *source, const remora_snapshot *snapshot, const char *reason,
                            remora_error *error);

/** Freezes the live version of a source: until the client is closed, fetched versions are only staged. Use it when
    values must not change for the rest of a session. The staged version becomes live when a later client opens the
    source, unless its activation is MANUAL. remora_activate, remora_reject, overrides, the context and remora_reset
    still take effect.

    The freeze applies to all handles of the source, even later ones of this client. Subscribers receive no further
    events except OPENED. When the function returns, no event callback of this source is running, unless a callback
    called remora_freeze. See docs/activation.md#freezing-the-settings-of-a-client.
    @return REMORA_OK, even if already frozen.
    Blocking: engine, callbacks. */
remora_status remora_freeze(remora_source *source, remora_error *error);

/* ---------------------------------------------------------------- sync --- */
/** The result of a sync for one source. */
typedef struct remora_sync_item {
  size_t struct_size;
  const char *source_name;   /**< As in remora_source_info. */
  const char *server;        /**< As in remora_source_info. */
  remora_source_kind kind;
  remora_outcome outcome;
  const remora_error *error; /**< The reason if outcome is REFUSED or FAILED, else NULL. */
} remora_sync_item;

/** The result of a sync. */
typedef struct remora_sync_report {
  size_t struct_size;
  const remora_sync_item *const *items; /**< One item for each source that was open at the start of the sync, in the
                                             order of opening, except bundles without url. */
  size_t item_count;             /**< The sum of updated, unchanged, staged and failed. */
  size_t updated;                /**< Items with outcome UPDATED. */
  size_t unchanged;              /**< Items with outcome UNCHANGED, NOT_NEWER or NONE. */
  size_t staged;                 /**< Items with outcome STAGED. */
  size_t failed;                 /**< Items with outcome REFUSED or FAILED. */
  const remora_error *error;     /**< First failure; its message begins like "2 of 5 sources failed". NULL if none. */
} remora_sync_report;

/** Receives the result of a sync.
    Thread: for remora_sync, the calling thread; for remora_sync_async, the thread of remora_event_callback, after the
    events of the refreshes. */
typedef void (*remora_sync_callback)(const remora_sync_report *report, void *user_data);

/** Refreshes the open sources of a client that have changed on their servers, and waits until the new versions are live
    or staged. Use it to keep many sources current with few requests. See docs/refreshing.md#a-sync.

    - First, the sync requests the monitor of each server. It refreshes a collection if the monitor does not list it, or
      lists another timestamp than that of the newest local data. Bundles and settings have no monitor, and are always
      refreshed.
    - If a source fails, the sync continues. If a monitor fails, all collections of its server fail.
    @code
    if (remora_sync(client, NULL, 10000, NULL, NULL, &error) != REMORA_OK) fprintf(stderr, "%s\n", error.message);
    @endcode
    @param timeout_ms Sources that are not refreshed in time fail with REMORA_ERR_TIMEOUT.
    @param callback   Called once before this function returns, unless the sync could not start. May be NULL.
    @return REMORA_OK if no source has failed. Otherwise the status of the first source that failed; see remora_refresh.
    Blocking: at most timeout_ms, plus the time of the callback. */
remora_status remora_sync(remora_client *client, const remora_refresh_options *options, int64_t timeout_ms,
                          remora_sync_callback callback, void *user_data, remora_error *error);

/** Starts a sync like remora_sync; see remora_result_callback. Closing a source handle does not prevent the
    callback. */
remora_status remora_sync_async(remora_client *client, const remora_refresh_options *options, int64_t timeout_ms,
                                remora_sync_callback callback, void *user_data, void (*free_user_data)(void *),
                                remora_request **out_request, remora_error *error);

/* ---------------------------------------------------------- get by key --- */
/* Getters read one value of a source by its key. They cannot fail: they return your default unchanged if the value does
   not exist or has another type, if source or key is NULL, and after remora_client_close. A default of NULL means "".
   Two calls can read different versions of the source: acquire a snapshot to read related values.
   @code
   char engine[64];
   remora_bool enabled = remora_get_bool(source, "features", "/banner", 0);
   remora_get_string(source, "search", "/default", engine, sizeof engine, "none");
   if (enabled) puts(engine);
   @endcode */

/** Reads a boolean, 1 or 0. */
remora_bool remora_get_bool(remora_source *source, const char *key, const char *pointer, remora_bool default_value);
/** Reads a number that converts exactly to a 64-bit integer, such as 5 or 5.0. */
int64_t remora_get_int(remora_source *source, const char *key, const char *pointer, int64_t default_value);
/** Reads a number that converts exactly to a double. */
double remora_get_double(remora_source *source, const char *key, const char *pointer, double default_value);
/** Copies a string, or the default, to the buffer. */
size_t remora_get_string(remora_source *source, const char *key, const char *pointer, char *buffer, size_t size,
                         const char *default_value);

/** Copies a string that is an absolute URI (RFC 3986) of at most 8,192 bytes, such as "app://editor". Check the
    scheme before you open the URL. An http or https URL must have a valid host, and neither user name nor password. */
size_t remora_get_url(remora_source *source, const char *key, const char *pointer, char *buffer, size_t size,
                      const char *default_value);

/** Copies the canonical JSON text of a value of any type; see remora_snapshot_get_json. If the value is missing or
    null, the default is copied unchanged, which need not be JSON. */
size_t remora_get_json(remora_source *source, const char *key, const char *pointer, char *buffer, size_t size,
                       const char *default_value);

/* ---------------------------------------------------------- bound keys --- */
/** Creates a handle that caches one value of a source. Use it for values that are read per frame or packet: a read
    takes a few memory loads.
    @code
    remora_key *banner = NULL;
    remora_key_bind(source, "features", "/banner", &banner, &error);
    while (draw_frame(remora_key_get_bool(banner, 0))) {}
    remora_key_release(banner);
    @endcode
    @param key 1 to 65,535 bytes; need not exist yet.
    Ownership: the caller releases the bound key. It stays valid when the source handle is closed, and keeps its last
    value once the last handle is closed. */
remora_status remora_key_bind(remora_source *source, const char *key, const char *pointer, remora_key **out_key,
                              remora_error *error);

/** Releases a bound key.
    Thread: any, but no other thread may use the bound key. */
void remora_key_release(remora_key *key);

/* Getters of a bound key also return the default if the bound key is NULL. Only booleans, numbers, and strings of up to
   64 bytes are cached. */

/** Reads the value of a bound key, like remora_get_bool and the other getters by key. */
remora_bool remora_key_get_bool(remora_key *key, remora_bool default_value);
int64_t remora_key_get_int(remora_key *key, int64_t default_value);
double remora_key_get_double(remora_key *key, double default_value);
size_t remora_key_get_string(remora_key *key, char *buffer, size_t size, const char *default_value);
size_t remora_key_get_url(remora_key *key, char *buffer, size_t size, const char *default_value);
size_t remora_key_get_json(remora_key *key, char *buffer, size_t size, const char *default_value);

/** Returns how often this function has found a bound key's value changed; 0 if key is NULL. Use it to cache what
    you derive from the value: derive it again if the count differs from the noted one. */
int64_t remora_key_get_change_count(remora_key *key);

/* ----------------------------------------------------------- snapshots --- */
/** Flag of remora_snapshot_acquire, for tools: acquires the data as it was received, with the records that filters
    hide, and without overrides and defaults. Namespaces that a bundle removes, and keys whose value is null, are
    included as null. */
#define REMORA_SNAPSHOT_UNFILTERED 1u

/** Acquires the live snapshot of a source. Use it to read related values, or to read without copying. If a source has
    no data, its snapshot has origin REMORA_ORIGIN_NONE, and contains only overrides.
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
    Ownership: the caller releases the snapshot. */
remora_status remora_snapshot_acquire(remora_source *source, remora_flags flags, remora_snapshot **out_snapshot,
                                      remora_error *error);

/** Adds a reference to a snapshot, and returns the snapshot; NULL for NULL. */
remora_snapshot *remora_snapshot_retain(const remora_snapshot *snapshot);
/** Releases a reference to a snapshot. */
void remora_snapshot_release(remora_snapshot *snapshot);

/** The properties of a snapshot. */
typedef struct remora_snapshot_info {
  size_t struct_size;
  remora_origin origin;
  remora_bool verified;  /**< 1 if a signature of this data was verified. The signature does not cover overrides. For
                              packaged data, see docs/trust.md. */
  int64_t version;       /**< For a bundle, its version; for a collection, its timestamp on the server; for settings,
                              the time of the fetch. 0 if the data has no version. */
  int64_t fetched_at_ms; /**< Time at which the data was fetched. */
  size_t count;          /**< Number of keys. */
} remora_snapshot_info;

/* The following functions read a snapshot.
   Ownership: strings and values are valid as long as the snapshot. */

/** Reads the properties of a snapshot. */
remora_status remora_snapshot_get_info(const remora_snapshot *snapshot, remora_snapshot_info *out_info,
                                       remora_error *error);
/** Returns the number of keys; 0 if snapshot is NULL. */
size_t remora_snapshot_count(const remora_snapshot *snapshot);

/** Finds the value of a key in a snapshot, or a part of the value. A key whose value is null is missing, unless the
    snapshot is unfiltered. A part of a value can be null.
    @param key 1 to 65,535 bytes.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND. */
remora_status remora_snapshot_get(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                  remora_value *out_value, remora_error *error);

/** Gets the key and value at a position in a snapshot. Keys are sorted by their bytes. Each output may be NULL.
    @param index 0 to remora_snapshot_count - 1.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND if index is too large. */
remora_status remora_snapshot_item(const remora_snapshot *snapshot, size_t index, const char **out_key,
                                   size_t *out_key_length, remora_value *out_value, remora_error *error);

/* Functions that read a value of one type. They return REMORA_OK, REMORA_ERR_WRONG_TYPE, or REMORA_ERR_NOT_FOUND (also
   for null). */

/** Reads a boolean: 1 or 0. */
remora_status remora_snapshot_get_bool(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                       remora_bool *out_value, remora_error *error);
/** Reads a number that converts exactly to a 64-bit integer, such as 5.0. */
remora_status remora_snapshot_get_int(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                      int64_t *out_value, remora_error *error);
/** Reads a number that converts exactly to a double. */
remora_status remora_snapshot_get_double(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                         double *out_value, remora_error *error);
/** Reads a string without copying it. */
remora_status remora_snapshot_get_string(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                         const char **out_string, size_t *out_length, remora_error *error);
/** Reads a URI without copying it, with the rules of remora_get_url. */
remora_status remora_snapshot_get_url(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                      const char **out_url, size_t *out_length, remora_error *error);

/** Writes the canonical JSON text of one value, or of the whole snapshot as one object; see docs/conventions.md#text.
    A double has as few digits as possible and an exponent, such as 7.5E-1 for 0.75.
    @param key NULL means the whole snapshot, and then `pointer` must be NULL too.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND; REMORA_ERR_CORRUPT. */
remora_status remora_snapshot_get_json(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                       char *buffer, size_t size, size_t *out_length, remora_error *error);

/** Gets the origin of a key's value.
    @param out_origin Receives REMORA_ORIGIN_OVERRIDE if the value contains an override, else REMORA_ORIGIN_DEFAULT if
                      all of it is from the default bundle. For a namespace that was kept from an earlier
                      bundle, the origin of that bundle. Otherwise the origin of the snapshot.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND. */
remora_status remora_snapshot_get_origin(const remora_snapshot *snapshot, const char *key, remora_origin *out_origin,
                                         remora_error *error);

/** Receives one difference between two snapshots.
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
/* Functions that read a value, and iterate over arrays and objects. The empty value is an invalid argument, except for
   remora_value_type and remora_value_count. A value that is found can be a JSON null.
   @code
   remora_value list, item;
   const char *name = NULL;
   if (remora_snapshot_get(snapshot, "regions", "/names", &list, &error) == REMORA_OK) {
     for (size_t i = 0; remora_value_item(list, i, NULL, NULL, &item, NULL) == REMORA_OK; i++)
       if (remora_value_get_string(item, &name, NULL, NULL) == REMORA_OK) puts(name);
   }
   @endcode
   Ownership: values, and strings read from them, are valid as long as the snapshot. */

/** Returns the type of a value. */
remora_type remora_value_type(remora_value value);

/** Reads a value of one type, with the rules and results of the remora_snapshot_get_… function for this type. */
remora_status remora_value_get_bool(remora_value value, remora_bool *out_value, remora_error *error);
remora_status remora_value_get_int(remora_value value, int64_t *out_value, remora_error *error);
remora_status remora_value_get_double(remora_value value, double *out_value, remora_error *error);
remora_status remora_value_get_string(remora_value value, const char **out_string, size_t *out_length,
                                      remora_error *error);
remora_status remora_value_get_url(remora_value value, const char **out_url, size_t *out_length, remora_error *error);

/** Writes the canonical JSON text of a value; see remora_snapshot_get_json.
    @return REMORA_OK; REMORA_ERR_CORRUPT. */
remora_status remora_value_get_json(remora_value value, char *buffer, size_t size, size_t *out_length,
                                    remora_error *error);

/** Returns the number of elements of an array or members of an object; 0 for any other value. */
size_t remora_value_count(remora_value value);

/** Finds a member of an object by name; "" is a valid name.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND; REMORA_ERR_WRONG_TYPE if the value is not an object. */
remora_status remora_value_member(remora_value value, const char *name, remora_value *out_value, remora_error *error);

/** Gets the element of an array or the member of an object at a position. Members are sorted by the bytes of their
    names; elements have the name NULL. Any output may be NULL.
    @param index 0 to remora_value_count - 1.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND if index is too large; REMORA_ERR_WRONG_TYPE for a value of another type. */
remora_status remora_value_item(remora_value value, size_t index, const char **out_name, size_t *out_name_length,
                                remora_value *out_value, remora_error *error);

/** Finds the part of a value that a JSON Pointer identifies.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND. */
remora_status remora_value_resolve(remora_value value, const char *pointer, remora_value *out_value,
                                   remora_error *error);

/** Writes the members of a record, except `id`, `last_modified` and `attachment`, as one canonical JSON object; see
    remora_snapshot_get_json.
    @return REMORA_OK; REMORA_ERR_WRONG_TYPE if the value is not an object; REMORA_ERR_CORRUPT. */
remora_status remora_value_record_fields(remora_value record, char *buffer, size_t size, size_t *out_length,
                                         remora_error *error);

/* --------------------------------------------------------- attachments --- */
/** The progress of a download. */
typedef struct remora_progress {
  size_t struct_size;
  int64_t received;   /**< Number of bytes received so far, with those before an interruption. It decreases if the
                           server sends the file from the beginning again. */
  int64_t total;      /**< Size of the attachment, as stated in its record. */
} remora_progress;

/** Receives the progress of a download, at most about a hundred times. The last call before success has `received`
    equal to `total`. If no download is needed, the callback is not called.
    Thread: for remora_attachment_open, the calling thread. For remora_attachment_open_async, as remora_event_callback,
    before the result. */
typedef void (*remora_progress_callback)(const remora_progress *progress, void *user_data);

/** Options for opening an attachment. */
typedef struct remora_attachment_options {
  size_t struct_size;
  const remora_snapshot *snapshot; /**< Snapshot that contains the record; default: the live snapshot. It may be
                                        released when the function has returned. */
  int64_t max_bytes;               /**< Larger attachments are not opened; default 64 MiB. */
  remora_bool by_location;         /**< If 1, `record` is the location of the attachment, not an id. Records that
                                        filters hide are found too. */
  remora_bool local_only;          /**< If 1, only a stored or packaged attachment is opened, without a request. */
  remora_progress_callback on_progress;
  void *on_progress_user_data;
  void (*on_progress_free_user_data)(void *);
} remora_attachment_options;

/** Opens the attachment of a record: from the storage directory, else the packaged attachments, else the server. The
    size and SHA-256 of every file are verified before it is used. Downloads are stored. total_timeout_ms and
    max_body_bytes of the client do not limit the download. See docs/attachments.md.
    @code
    remora_attachment *attachment = NULL;
    if (remora_attachment_open(source, "fr-en", NULL, 60000, &attachment, &error) == REMORA_OK) {
      load(remora_attachment_data(attachment), remora_attachment_size(attachment));
      remora_attachment_release(attachment);
    }
    @endcode
    @param record The id of the record; see also by_location.
    @return REMORA_OK. REMORA_ERR_NOT_FOUND if the record, its attachment or the location does not exist, or, with
            local_only, no local file exists. REMORA_ERR_TIMEOUT; REMORA_ERR_ATTACHMENT_MISMATCH; network, document or
            storage errors.
    Ownership: the caller releases the attachment. Blocking: at most timeout_ms, plus the time of on_progress. */
remora_status remora_attachment_open(remora_source *source, const char *record,
                                     const remora_attachment_options *options, int64_t timeout_ms,
                                     remora_attachment **out_attachment, remora_error *error);

/** Opens an attachment like remora_attachment_open; see remora_result_callback. If callback is NULL, the attachment is
    only downloaded, for a later opening. The record is looked up before the function returns.
    @return REMORA_OK. REMORA_ERR_NOT_FOUND, REMORA_ERR_FORMAT or REMORA_ERR_TOO_LARGE if the lookup fails. */
remora_status remora_attachment_open_async(remora_source *source, const char *record,
                                           const remora_attachment_options *options, int64_t timeout_ms,
                                           remora_result_callback callback, void *user_data,
                                           void (*free_user_data)(void *), remora_request **out_request,
                                           remora_error *error);

/** Adds a reference to an attachment, and returns the attachment; NULL for NULL. */
remora_attachment *remora_attachment_retain(const remora_attachment *attachment);

/* Getters of an attachment.
   Ownership: the bytes and the path are valid until the attachment is released. */

/** Returns the address of an attachment's bytes, which never change; NULL if attachment is NULL. */
const void *remora_attachment_data(const remora_attachment *attachment);
/** Returns the size of an attachment; 0 if attachment is NULL. */
size_t remora_attachment_size(const remora_attachment *attachment);

/** Returns the path of the attachment's file, for programs that need a file; NULL if attachment is NULL, or is in
    memory only. Do not write to the file: it is shared. Remora can remove a stored file when no record refers to it.
    The path is absolute if storage_dir, or packaged_attachments, is absolute. */
const char *remora_attachment_path(const remora_attachment *attachment);

/** Releases a reference to an attachment. The stored file remains. */
void remora_attachment_release(remora_attachment *attachment);

/* ----------------------------------------------------------- subscribe --- */
/** Flag of remora_subscribe: the first event of the subscriber is the current state, with cause OPENED. */
#define REMORA_SUBSCRIBE_REPLAY 1u

/** Registers a callback for the events of a source, or for the changes of one key. A subscriber of a source is called
    after every refresh, with the outcome, and whenever the live snapshot has changed for another reason. A subscriber
    of a key is called when the value of that key has changed.

    If a callback is slow, queued events can be merged; see docs/threading.md#callbacks.
    @code
    remora_subscription *subscription = NULL;
    remora_subscribe(source, NULL, REMORA_SUBSCRIBE_REPLAY, on_change, NULL, NULL, &subscription, &error);
    remora_unsubscribe(subscription); // when no longer needed
    @endcode
    @param key              1 to 65,535 bytes; NULL means the whole source.
    @param out_subscription NULL: the subscription lasts until the source handle is closed.
    Ownership: the caller ends the subscription with remora_unsubscribe. */
remora_status remora_subscribe(remora_source *source, const char *key, remora_flags flags,
                               remora_event_callback callback, void *user_data, void (*free_user_data)(void *),
                               remora_subscription **out_subscription, remora_error *error);

/** Ends a subscription: its callback will not be called again. If the callback is running, the function waits for it,
    except inside a callback of Remora. Free user_data only in free_user_data, which can be called after this function
    has returned.
    Blocking: callbacks. */
void remora_unsubscribe(remora_subscription *subscription);

/* ----------------------------------------------------------- overrides --- */
/** Flag of the functions that set an override: sets the override only if the live snapshot, without overrides, has a
    value for the key. */
#define REMORA_OVERRIDE_IF_EXISTS 1u

/** Sets an override: a value that takes precedence over default, packaged and fetched values until it is cleared. Use
    overrides for a user's choice, a debug menu, or a user id inside a value that the server sends.

    When the function returns, the value is live. Subscribers receive an event if the value of the key has changed.
    Overrides apply to all handles of the source. They are removed when the last handle is closed, unless
    persist_overrides is 1.

    If the key, or an object on the path of `pointer`, does not exist or is null, it is created. The new override
    replaces earlier overrides at the same place and inside it. See docs/overrides.md#precedence.
    @code
    remora_override_set(source, "limits", "/max_uploads", "50", 0, &error);
    remora_override_clear(source, "limits", "/max_uploads", &error);
    @endcode
    @param key     1 to 65,535 bytes.
    @param pointer At most 65,535 bytes.
    @param json    JSON text of at most 1 MiB, also "null". Its depth plus the number of names in pointer is at most 64.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND if REMORA_OVERRIDE_IF_EXISTS is set and the key is missing;
            REMORA_ERR_WRONG_TYPE if a value on the path is not an object; REMORA_ERR_TOO_LARGE for more than 10,000
            overrides, or if the source would exceed 2 GiB; REMORA_ERR_CORRUPT. On failure, nothing has changed.
    Blocking: files. */
remora_status remora_override_set(remora_source *source, const char *key, const char *pointer, const char *json,
                                  remora_flags flags, remora_error *error);

/** Sets an override to a value of one type, like remora_override_set. A double must be finite.
    @code
    remora_override_set_string(source, "tracker", "/subjectConfiguration/userId", user_id,
                               REMORA_OVERRIDE_IF_EXISTS, &error);
    @endcode
    Blocking: files. */
remora_status remora_override_set_bool(remora_source *source, const char *key, const char *pointer, remora_bool value,
                                       remora_flags flags, remora_error *error);
remora_status remora_override_set_int(remora_source *source, const char *key, const char *pointer, int64_t value,
                                      remora_flags flags, remora_error *error);
remora_status remora_override_set_double(remora_source *source, const char *key, const char *pointer, double value,
                                         remora_flags flags, remora_error *error);
remora_status remora_override_set_string(remora_source *source, const char *key, const char *pointer, const char *value,
                                         remora_flags flags, remora_error *error);

/** Clears the override at `pointer` of a key, and all overrides inside this place.
    @param pointer NULL clears all overrides of the key.
    @return REMORA_OK if an override was cleared; REMORA_ERR_NOT_FOUND if none exists. While stored overrides cannot be
            read, REMORA_OK; see docs/overrides.md. Otherwise as for remora_override_set.
    Blocking: files. */
remora_status remora_override_clear(remora_source *source, const char *key, const char *pointer, remora_error *error);

/** Clears all overrides of a source.
    @return REMORA_OK, even if no override existed. Otherwise as for remora_override_set.
    Blocking: files. */
remora_status remora_override_clear_all(remora_source *source, remora_error *error);

/** An override. */
typedef struct remora_override {
  size_t struct_size;
  const char *key;
  size_t key_length;
  const char *pointer; /**< JSON Pointer; "" is the whole value. */
  size_t pointer_length;
  const char *json;    /**< Canonical JSON text. */
  size_t json_length;
} remora_override;

/** Receives one override. */
typedef int32_t (*remora_override_visitor)(const remora_override *entry, void *user_data);
/** Calls a visitor with each override that the source has at the time of the call, sorted by the bytes of the key, then
    of the JSON Pointer. */
remora_status remora_override_foreach(remora_source *source, remora_override_visitor visitor, void *user_data,
                                      remora_error *error);

/* ------------------------------------------------------------- explain --- */
/** Flag of remora_explain: writes text for people, in lines of up to 80 columns, instead of JSON. */
#define REMORA_EXPLAIN_TEXT 1u

/** Describes why a read by key returns its value, for debug pages and logs. Writes a JSON object in one line:
    - `key`, `pointer`, `value`; `type`, a name of remora_type_name; `reason`, if the value is missing or null
    - `layers`, an array: an object for each layer that has a value for the key and pointer, or hides it. Each object
      has `layer` (override, hidden, live, carried_over, default, packaged, staged, previous or rejected), `value`,
      `reason` and `wins`; for fetched and packaged data also `version`, `fetched_at_ms` and `verified`

    Later versions may add members and layers. See docs/operations.md.
    @return REMORA_OK, also if the key does not exist; REMORA_ERR_TOO_LARGE; REMORA_ERR_CORRUPT.
    Blocking: files. */
remora_status remora_explain(remora_source *source, const char *key, const char *pointer, remora_flags flags,
                             char *buffer, size_t size, size_t *out_length, remora_error *error);

/* ------------------------------------------------------------- seeding --- */
/** The source that a seed is for. Set exactly one of collection, bundle and settings, to the options with which the
    program opens the source. */
typedef struct remora_seed_options {
  size_t struct_size;
  const remora_collection_options *collection; /**< A collection. remora_seed_save then needs a file that `remora dump`
                                                    has written. */
  const remora_bundle_options *bundle;         /**< A bundle that has a url. */
  const remora_settings_options *settings;     /**< Settings with memory_only 0. */
  const char *identifier;                      /**< Name of the program that downloads a seed of settings: the query
                                                    item "identifier" of remora_seed_request; default "seed". */
  int64_t fetched_at_ms;                       /**< Time of the download; default: the file's modification time. A seed
                                                    replaces only older stored data. */
} remora_seed_options;

/** Describes the request with which an installer downloads the seed of settings or a bundle. The installer sends this
    request, and passes the received file to remora_seed_save. The headers are those of config, plus a User-Agent unless
    config has one. For the query items of settings, see docs/seeding.md#the-request-for-a-seed.
    @param config   storage_dir is not used. No callback of config is called, and no user data freed.
    @param options  A collection, or a bundle without url, is an invalid argument.
    @param callback Receives the request once, on the calling thread, before the function returns.
    @return REMORA_OK; errors of documents for default_bundle. */
remora_status remora_seed_request(const remora_config *config, const remora_seed_options *options,
                                  remora_send_callback callback, void *user_data, remora_error *error);

/** Checks the file that an installer has downloaded, and saves it as the seed of a source, so that the first start of a
    program needs no network. The file is checked as strictly as a response of the server, including the signature of a
    collection unless trust is REMORA_TRUST_OFF. Warnings about ignored parts are reported to on_log, on the calling
    thread.

    If the seed is newer than all stored data, the next opening uses it. Open sources are not affected. See
    docs/seeding.md#adoption-at-the-next-opening.
    @code
    remora_seed_options seed;
    REMORA_INIT(&seed);
    seed.settings = &settings; // as the program opens them
    remora_seed_request(&config, &seed, download, "seed.json", &error);
    remora_seed_save(&config, &seed, "seed.json", &error);
    @endcode
    @param config  Only storage_dir (a directory), max_body_bytes, log_level, on_log, on_log_user_data and, for a
                   collection, server and bucket are used; the other fields are only checked. No user data is freed.
    @param options The source; must not be NULL.
    @return REMORA_OK; storage errors; document errors; for a collection also trust errors and REMORA_ERR_FUTURE.
    Blocking: files. */
remora_status remora_seed_save(const remora_config *config, const remora_seed_options *options, const char *file,
                               remora_error *error);

/* ----------------------------------------------------------- host loop --- */
/* Functions for a client with REMORA_CALLBACKS_ON_DISPATCH; any other client is an invalid argument. */

/** Gets a file descriptor that becomes readable when callbacks are queued for remora_dispatch. Wait for it in your
    program's loop with select, poll or epoll, level- or edge-triggered. It can be readable although no callback is
    queued. Never read, write or close it, and remove it from the loop before remora_client_close. A forked child, and a
    daemon that has closed all its descriptors, must call the function again. */
remora_status remora_client_get_fd(remora_client *client, int32_t *out_fd, remora_error *error);

/** Runs the callbacks that were queued before the call. Callbacks that are queued during the call run in the next one.
    If a callback closes the client, no further callback runs, and the client must not be used again.
    @code
    int32_t fd = -1;
    remora_client_get_fd(client, &fd, &error);
    struct pollfd wait = {fd, POLLIN, 0};
    while (poll(&wait, 1, -1) > 0) remora_dispatch(client, NULL, NULL);
    @endcode
    @param out_count Receives the number of callbacks that have run. May be NULL.
    @return REMORA_OK, even if no callback was queued. REMORA_ERR_BUSY, for example if a callback calls this function.
    Thread: any, one call at a time per client. Blocking: callbacks. */
remora_status remora_dispatch(remora_client *client, size_t *out_count, remora_error *error);

/* -------------------------------------------------------- for bindings --- */
/* Functions for language bindings. Programs in C use remora_source_get_change_count and remora_snapshot_get. */

/** Gets the address of a number that changes when the live snapshot changes, for bindings that cache values. Read the
    number with an atomic load (__atomic_load_n with __ATOMIC_ACQUIRE). docs/reading.md#the-revision has the steps, and
    the meaning of negative and odd numbers.
    Ownership: the library owns the number. Do not read it after remora_source_close. */
remora_status remora_source_get_revision(remora_source *source, const int64_t **out_revision, remora_error *error);

/** Finds a value like remora_snapshot_get, but key and pointer need no NUL.
    @param pointer_length 0 if pointer is NULL.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND.
    Ownership: the value is valid as long as the snapshot. */
remora_status remora_snapshot_get_n(const remora_snapshot *snapshot, const char *key, size_t key_length,
                                    const char *pointer, size_t pointer_length, remora_value *out_value,
                                    remora_error *error);

#ifdef __cplusplus
}
#endif

#endif /* REMORA_H */
