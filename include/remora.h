/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file remora.h
 * Remora: an embeddable client for remote settings.
 *
 * Caveats first:
 * - A closed or released handle must not be used again, as with free().
 * - A snapshot that the host keeps must be released; everything read from it
 *   (strings, values) lives exactly as long as it does.
 * - The storage directory must be on a local file system. A mapped file that
 *   another program of the same user truncates can raise SIGBUS in this process,
 *   as with any memory-mapped database.
 * - A refresh needs up to 256 MiB of memory and 32 bytes for each byte of the body, which
 *   max_body_bytes of remora_config limits. When memory ends, most calls return
 *   REMORA_ERR_UNAVAILABLE. Where Swift's own runtime cannot allocate, it aborts the
 *   process: limit the body where memory is scarce.
 *
 * Conventions:
 * - Every fallible function returns a ::remora_status (0 is success, negative is
 *   an error) and takes a `remora_error *` last, which it clears on success; NULL is
 *   accepted there and nowhere else unless the parameter says so. A NULL that is not accepted is
 *   REMORA_ERR_INVALID_ARGUMENT, never a crash.
 * - Two statuses are not repeated at each function, because every one that returns a ::remora_status may return
 *   them: REMORA_ERR_INTERNAL, and REMORA_ERR_UNAVAILABLE when memory ends.
 * - Outputs are written on REMORA_OK only, unless the function says otherwise.
 * - Strings going in are NUL-terminated UTF-8. Strings coming out are UTF-8 with
 *   a length, and NUL-terminated too; JSON strings may contain U+0000.
 * - `pointer` is NULL (the whole value) or a JSON Pointer (RFC 6901) into it:
 *   "" is the whole value too, "/a/0" is element 0 of member "a".
 * - A structure that begins with `struct_size` is initialised by REMORA_INIT before
 *   its other fields are set; a field that is 0 or NULL means its default.
 *   Structures grow at the end only; a larger structure of a newer header is
 *   accepted as long as the part this library does not know is zero.
 * - Durations are milliseconds. In a structure 0 is the default and -1 is off.
 *   As an argument 0 is "do not wait", -1 is "no limit of its own" and any other
 *   negative number is an invalid argument.
 * - A callback that may outlive the call is followed by `void *user_data` and
 *   `void (*free_user_data)(void *)`, which is called exactly once, after the last call
 *   of the callback, also when the function fails; NULL is accepted. (Where they are
 *   fields: unless the structure is NULL or its struct_size is not usable.) A callback
 *   that is called inside the function is followed by `user_data` alone.
 * - Thread, Ownership, Blocks and Since end the comment of every function.
 *
 * Blocking: "Blocks: no" means that the function waits for no request, file, callback, other process or job of the
 * engine thread ("remora-engine"). It may take a lock of the library for a moment. There is one exception, in a
 * forked child: the first read of a source with a storage directory picks up what other processes have stored since
 * the fork. It waits at most 50 ms for the job that is running in the child, and then reads the source's files. If the
 * job takes longer, the read returns what is live already, and the next read tries again. The functions that read in
 * this sense are remora_get_…, remora_snapshot_acquire, remora_source_get_info, remora_namespace_foreach,
 * remora_subscribe, remora_await, remora_attachment_open, the _async forms of the last two, and remora_override_set.
 *
 * Processes: after fork() a child may read at once and use every other function;
 * threads and connections are made anew when first needed, and remora_client_get_fd is to be asked
 * again. Requests, waits and completions of the parent stay with the parent; an update
 * that a subscriber was not told of yet is told in both. A child that
 * was forked inside a callback on a thread of Remora's ends that thread when the
 * callback returns: exec or exit before.
 * While the process exits, what would wait or start a thread returns
 * REMORA_ERR_CLOSED. What the exit itself ends calls no free_user_data.
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

/**
 * The version of the library that is running, "major.minor.patch".
 *
 * Compare with REMORA_VERSION, the version of the header the host was built with.
 *
 * @return A constant string; never NULL.
 * Thread: any. Ownership: the library's. Blocks: no. Since: 0.1
 */
const char *remora_version(void);

/**
 * Initialises a structure that begins with `struct_size`: sets all of it to zero, which means
 * defaults, and struct_size to its size. In C and C++ use the macro REMORA_INIT.
 *
 * @param structure   The structure; NULL is ignored.
 * @param struct_size Its size in bytes, as the host was compiled. Less than that of a size_t is ignored.
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
void remora_init(void *structure, size_t struct_size);

/** Initialises a structure by its address, as in REMORA_INIT(&config). */
#define REMORA_INIT(structure) remora_init((structure), sizeof *(structure))

/* --------------------------------------------------------------- types --- */

typedef int32_t remora_bool;   /**< 0 or 1; any other number is an invalid argument. */
typedef uint32_t remora_flags; /**< Bits that the function names; an unknown bit is an invalid argument. */

/* -------------------------------------------------------------- errors --- */

/** The result of a call: REMORA_OK, or a negative code. A code of family F is between -100 F and -100 F - 99. */
typedef int32_t remora_status;

/** A family of codes, for hosts that treat errors alike. New codes and families may come: accept unknown ones. */
typedef int32_t remora_family;

#define REMORA_OK 0

/** The call is wrong, or what it was made on has ended. The same call fails again. */
#define REMORA_FAMILY_CALL 0
#define REMORA_ERR_INVALID_ARGUMENT (-1) /**< An argument is NULL or malformed; nothing happened. */
#define REMORA_ERR_NOT_FOUND (-2)        /**< No such key, member or element, or it holds null. */
#define REMORA_ERR_WRONG_TYPE (-3)       /**< The value is of another type, or does not convert exactly. */
#define REMORA_ERR_TIMEOUT (-4)          /**< The caller's own time limit ended first. */
#define REMORA_ERR_CANCELLED (-5)        /**< Cancelled by remora_request_cancel or by a reset. */
#define REMORA_ERR_CLOSED (-6)           /**< The client or source is closed, or the process is exiting. */
#define REMORA_ERR_BUSY (-7)             /**< Another call of remora_dispatch is running for this client. */

/** No usable answer came. Try again later; see retry_after_ms. */
#define REMORA_FAMILY_NETWORK 1
#define REMORA_ERR_NETWORK (-100)  /**< No connection, connection lost, or a transport time limit. */
#define REMORA_ERR_TLS (-101)      /**< The TLS handshake or the server's certificate failed. */
#define REMORA_ERR_HTTP (-102)     /**< The server answered with an error; see http_status. */
#define REMORA_ERR_REDIRECT (-103) /**< Too many redirects, or one to a place that is not allowed. */
#define REMORA_ERR_BACKOFF (-104)  /**< The server asked for a pause, and no request was sent. */

/** The document cannot be used. The last good data stays live. Report it to whoever publishes the settings. */
#define REMORA_FAMILY_DOCUMENT 2
#define REMORA_ERR_PARSE (-200)     /**< Not JSON, or JSON beyond the limits of docs/errors.md, such as depth 64 or 64-bit integers. */
#define REMORA_ERR_FORMAT (-201)    /**< JSON, but not of the shape that the protocol prescribes. */
#define REMORA_ERR_TOO_LARGE (-202) /**< A body, header or document exceeds its limit. */

/** A check of signature, chain or hash refused the document. The last good data stays live. */
#define REMORA_FAMILY_TRUST 3
#define REMORA_ERR_SIGNATURE_MISSING (-300)   /**< No signature of a known mode. */
#define REMORA_ERR_SIGNATURE_MALFORMED (-301) /**< Not base64url, or not 96 bytes. */
#define REMORA_ERR_SIGNATURE_MISMATCH (-302)  /**< Records or timestamp are not what was signed. */
#define REMORA_ERR_CHAIN_MALFORMED (-303)     /**< The chain is not PEM certificates, or too many. */
#define REMORA_ERR_CHAIN_INVALID (-304)       /**< A link, a usage or a name constraint does not hold. */
#define REMORA_ERR_CHAIN_LOCATION (-305)      /**< The chain's URL (x5u) is on a host that is not trusted. */
#define REMORA_ERR_CERTIFICATE_EXPIRED (-306) /**< A certificate is expired or not yet valid. */
#define REMORA_ERR_CERTIFICATE_SUBJECT (-307) /**< The leaf is not for the expected signer. */
#define REMORA_ERR_ROOT_MISMATCH (-308)       /**< The root is not the pinned one. */
#define REMORA_ERR_ATTACHMENT_MISMATCH (-309) /**< Size or SHA-256 of an attachment are not what its record says. */

/** The document is genuine, but its timestamp is not acceptable. The last good data stays live. */
#define REMORA_FAMILY_FRESHNESS 4
#define REMORA_ERR_FUTURE (-400)       /**< Its timestamp is too far in the future. */
#define REMORA_ERR_EQUIVOCATION (-401) /**< Other content under a timestamp already accepted. */

/** The storage directory cannot be used, or a stored file is damaged. */
#define REMORA_FAMILY_STORAGE 5
#define REMORA_ERR_STORAGE (-500)    /**< The operating system refused, or others keep the files too long. */
#define REMORA_ERR_PERMISSION (-501) /**< A file or directory belongs to, or can be written by, others. */
#define REMORA_ERR_CORRUPT (-502)    /**< An image, or the stored file of an attachment, fails its checks. */

/** The system lacks something, or Remora has a defect. */
#define REMORA_FAMILY_SYSTEM 6
#define REMORA_ERR_UNAVAILABLE (-600) /**< No libcurl or libcrypto, or no thread, descriptor or memory. */
#define REMORA_ERR_INTERNAL (-601)    /**< A defect of the library. Please report it. */

/** Details of a failure, in memory of the caller's: 512 bytes. All zero is "no failure". */
typedef struct remora_error {
  remora_status status;   /**< What the function returned. */
  int32_t http_status;    /**< The HTTP status, or 0 when there was none. */
  int64_t retry_after_ms; /**< Milliseconds until a retry makes sense; 0 when unknown. */
  char source_name[112];  /**< The name of the source, as "main/regions" or a URL without query; "" when the failure
                               is not about one source. UTF-8, NUL-terminated, cut when longer. */
  char message[384];      /**< A sentence that names the thing; UTF-8, NUL-terminated, cut when longer. */
} remora_error;

/**
 * Returns the name of a status, such as "REMORA_ERR_NOT_FOUND".
 *
 * @param status Any number; an unknown one is "REMORA_ERR_UNKNOWN".
 * @return A constant string; never NULL.
 * Thread: any. Ownership: the library's. Blocks: no. Since: 0.1
 */
const char *remora_status_name(remora_status status);

/**
 * Returns the family of a status.
 *
 * @param status A negative number, also one that this version of the library does not know.
 * @return REMORA_FAMILY_…, or the number of a family that a later version has added. REMORA_FAMILY_CALL for
 *         REMORA_OK and for positive numbers, which no function returns.
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
remora_family remora_status_family(remora_status status);

/* ------------------------------------------------------------- handles --- */

typedef struct remora_client remora_client;             /**< Owns storage, threads' work and sources. */
typedef struct remora_source remora_source;             /**< A set of settings refreshed together. */
typedef struct remora_snapshot remora_snapshot;         /**< One source at one version; immutable. */
typedef struct remora_subscription remora_subscription; /**< A registered event callback. */
typedef struct remora_attachment remora_attachment;     /**< The verified bytes of an attachment. */
typedef struct remora_request remora_request;           /**< One asynchronous refresh, sync or opening. */

/* ------------------------------------------------------- enumerations --- */

/* The kinds of sources. */
typedef int32_t remora_source_kind;
#define REMORA_KIND_COLLECTION 1
#define REMORA_KIND_BUNDLE 2
#define REMORA_KIND_SETTINGS 3

/* Where a live value comes from. */
typedef int32_t remora_origin;
#define REMORA_ORIGIN_NONE 0     /**< Nothing yet: never fetched, nothing packaged. */
#define REMORA_ORIGIN_DEFAULT 1  /**< The default bundle that the host gave at open. */
#define REMORA_ORIGIN_PACKAGED 2 /**< Packaged data that the host gave at open. */
#define REMORA_ORIGIN_CACHED 3   /**< Read from storage: fetched by an earlier run. */
#define REMORA_ORIGIN_FETCHED 4  /**< Fetched, or confirmed by the server, in the life of this client, by this process
                                      or another. */
#define REMORA_ORIGIN_OVERRIDE 5 /**< Of a key only: all of its value, or a part, is an override. */

/* What a refresh did. The status is REMORA_OK for UPDATED, UNCHANGED, NOT_NEWER and STAGED. */
typedef int32_t remora_outcome;
#define REMORA_OUTCOME_NONE 0
#define REMORA_OUTCOME_UPDATED 1   /**< A newer version is live. */
#define REMORA_OUTCOME_UNCHANGED 2 /**< The server has nothing newer. */
#define REMORA_OUTCOME_NOT_NEWER 3 /**< The server offered something older, or a bundle without a higher version;
                                        it was not used. */
#define REMORA_OUTCOME_STAGED 4    /**< A newer version is stored and waits for its activation. */
#define REMORA_OUTCOME_REFUSED 5   /**< An answer came and failed a check. */
#define REMORA_OUTCOME_FAILED 6    /**< No usable answer came. */

/* Why an event comes. */
typedef int32_t remora_cause;
#define REMORA_CAUSE_OPENED 1    /**< The state at open or at subscription (replay). */
#define REMORA_CAUSE_REFRESHED 2 /**< A refresh of this client ended, also one whose request another client or
                                      process made. */
#define REMORA_CAUSE_ADOPTED 3   /**< Another client or process fetched, and no refresh of this client waited for
                                      it. */
#define REMORA_CAUSE_RESET 4     /**< remora_reset. */
#define REMORA_CAUSE_CONTEXT 5   /**< remora_set_context changed what filters show. */
#define REMORA_CAUSE_OVERRIDE 6  /**< An override was set or cleared. */
#define REMORA_CAUSE_ACTIVATED 7 /**< remora_activate made live what was staged. */

/* ----------------------------------------------------------- lifecycle --- */

/* Log levels; a callback with level L gets messages of L and below. */
typedef int32_t remora_log_level;
#define REMORA_LOG_ERROR 1
#define REMORA_LOG_WARNING 2
#define REMORA_LOG_INFO 3
#define REMORA_LOG_DEBUG 4

/** A log line. All of it is valid during the callback only. */
typedef struct remora_log_entry {
  size_t struct_size;      /**< Bytes that this library filled. */
  remora_log_level level;  /**< REMORA_LOG_ERROR to REMORA_LOG_DEBUG. */
  remora_source_kind kind; /**< REMORA_KIND_…; 0 when the line is not about one source. */
  const char *source_name; /**< As in remora_attempt; NULL when the line is not about one source. */
  const char *message;     /**< One line without control characters. It begins with kind and name of the source. */
} remora_log_entry;

/**
 * Receives log lines.
 *
 * @param entry     Valid during the call.
 * @param user_data As registered.
 * Thread: where the client's callbacks run, one call at a time, no lock held. While a
 * thousand calls wait, further lines are dropped.
 */
typedef void (*remora_log_callback)(const remora_log_entry *entry, void *user_data);

/** One attempt to refresh a source, after its end. All of it is valid during the callback only. */
typedef struct remora_attempt {
  size_t struct_size;        /**< Bytes that this library filled. */
  const char *source_name;   /**< The name of the source: bucket and collection, as "main/regions"; "monitor/changes" when
                                  a sync asked the server's monitor; else its URL without query, with "#" and the tag of
                                  settings, or a space and the name of a bundle. */
  const char *server;        /**< The base URL of its server, ending in /v1 or /v2; else the origin of its URL. */
  remora_source_kind kind;   /**< REMORA_KIND_…; COLLECTION for a monitor. */
  remora_outcome outcome;    /**< REMORA_OUTCOME_…; UPDATED when a monitor answered. */
  remora_status status;      /**< REMORA_OK for UPDATED, UNCHANGED, NOT_NEWER and STAGED. */
  int32_t http_status;       /**< Of the answer to the last request; 0 when none came or was asked for. */
  int64_t duration_ms;       /**< From its beginning to its end; 0 when a monitor spared the request. */
  int64_t bytes;             /**< Of all bodies that came, decoded. */
  const remora_error *error; /**< Details when status is not REMORA_OK, else NULL. */
} remora_attempt;

/**
 * Receives what an attempt came to: for telemetry.
 *
 * Also an attempt that a backoff forbids, and a source that a sync's monitor calls unchanged.
 * Not one that was given up, and not one whose work another process did.
 *
 * @param attempt   Valid during the call.
 * @param user_data As registered.
 * Thread: where the client's callbacks run, one call at a time, no lock held; after the
 * events of the refresh and before its callback. While a thousand calls wait, further attempts are dropped.
 */
typedef void (*remora_attempt_callback)(const remora_attempt *attempt, void *user_data);

/* Where a client's callbacks run. */
typedef int32_t remora_callback_mode;
#define REMORA_CALLBACKS_ON_THREAD 0   /**< On a thread of the client, "remora-events". The default. */
#define REMORA_CALLBACKS_ON_DISPATCH 1 /**< Inside remora_dispatch, on the thread that calls it. Log lines that are
                                            still queued at remora_client_close: inside that call. */

#define REMORA_SERVER_PROD "prod"   /**< Mozilla's production server. */
#define REMORA_SERVER_STAGE "stage" /**< Mozilla's staging server. */
#define REMORA_SERVER_DEV "dev"     /**< Mozilla's development server. */

/** As storage_dir: keep everything in memory, write nothing. */
#define REMORA_STORAGE_MEMORY ":memory:"

/** What remora_setup needs to know. Strings are copied. */
typedef struct remora_config {
  size_t struct_size;               /**< Set by REMORA_INIT. */
  const char *storage_dir;          /**< Directory for images and ledgers, or REMORA_STORAGE_MEMORY. Required.
                                         Created (0700 less the umask, with its parents) when missing. */
  const char *application_name;     /**< Sent in the default user agent; default "unknown". */
  const char *application_version;  /**< As above; default "0". */
  const char *application_build;    /**< As above; default: left out. */
  const char *server;               /**< REMORA_SERVER_PROD/STAGE/DEV or an http or https URL without query;
                                         default REMORA_SERVER_PROD. A URL ending in /v1 or /v2 is used as it
                                         is, another gets /v2. */
  const char *bucket;               /**< Default bucket of collections; default "main". */
  const char *proxy;                /**< Proxy URL as libcurl takes it; default none. The environment is not read. */
  const char *ca_file;              /**< PEM file of TLS roots; default: libcurl's. */
  const char *const *headers;       /**< NULL-terminated array of "Name: value" sent with every request to a
                                         source's own server; default none. */
  const char *user_agent;           /**< Replaces the default user agent. */
  int64_t connect_timeout_ms;       /**< Default 10,000. */
  int64_t stall_timeout_ms;         /**< Ends a transfer below 100 bytes/s for so long; default 30,000. */
  int64_t total_timeout_ms;         /**< Limit of a whole request; default 120,000. */
  int64_t max_body_bytes;           /**< Limit of a body after decoding; default 16 MiB, at most 256 MiB. */
  remora_log_level log_level;                /**< Default REMORA_LOG_WARNING. */
  remora_callback_mode callbacks;                /**< REMORA_CALLBACKS_ON_THREAD or REMORA_CALLBACKS_ON_DISPATCH. */
  remora_log_callback on_log;       /**< Called with log lines. Default none: the library itself never prints. */
  void *on_log_user_data;
  void (*on_log_free_user_data)(void *); /**< Called exactly once, also when remora_setup fails. */
  remora_attempt_callback on_attempt;    /**< Called with the result and the cost of each attempt; default none. */
  void *on_attempt_user_data;
  void (*on_attempt_free_user_data)(void *); /**< Called exactly once, also when remora_setup fails. */
} remora_config;

/**
 * Makes a client. No request is sent and no thread is started.
 *
 * A storage directory that cannot be written does not fail: the client then works
 * in memory, and the log, remora_source_get_info and events carry the storage error.
 *
 * @param config     Initialised by REMORA_INIT; must not be NULL.
 * @param out_client Receives the client; must not be NULL.
 * @param error      Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT (a field is malformed, storage_dir is
 *         missing); REMORA_ERR_STORAGE (storage_dir is not a directory);
 *         REMORA_ERR_PERMISSION (storage_dir belongs to another user or others can write it).
 * Thread: any. Ownership: the caller ends the client with remora_client_close.
 * Blocks: for file system calls. Since: 0.1
 */
remora_status remora_setup(const remora_config *config, remora_client **out_client, remora_error *error);

/**
 * Ends a client: requests end within 200 ms, waits answer REMORA_ERR_CLOSED, no
 * callback begins afterwards, and every user_data is freed.
 *
 * Log lines that are already queued are delivered before it returns: on the client's delivery thread, or
 * on the calling thread with REMORA_CALLBACKS_ON_DISPATCH. Queued events, attempts and completions are dropped.
 * When called inside a callback of any client, it drops queued log lines too.
 *
 * Its sources stay valid and answer REMORA_ERR_CLOSED (getters: the default) until
 * remora_source_close, subscriptions until remora_unsubscribe, requests until
 * remora_request_release; snapshots and attachments go on reading until released. Called inside a
 * callback it returns at once and takes full effect when that callback returns.
 *
 * @param client NULL is accepted and ignored.
 * Thread: any. Ownership: consumes the client. Blocks: up to 200 ms, for a callback of this client that is
 * running on another thread, and for the callbacks of the queued log lines. Since: 0.1
 */
void remora_client_close(remora_client *client);

/* -------------------------------------------------------- before setup --- */

/** Where to connect to ahead of time. Strings are copied. */
typedef struct remora_preconnect_options {
  size_t struct_size;           /**< Set by REMORA_INIT. */
  const char *url;              /**< http or https, without a fragment. Required. */
  const char *application_name; /**< Sent as the query item "app", and in the default user agent. Required. */
  const char *platform;         /**< Sent as the query item "platform"; default "linux". */
  const char *proxy;            /**< As in remora_config; a client shares the connection when these two are the same. */
  const char *ca_file;          /**< As in remora_config. */
  const char *user_agent;       /**< Replaces the default user agent. */
  int64_t connect_timeout_ms;   /**< Default 10,000. */
  int64_t total_timeout_ms;     /**< Limit of all of it; default 30,000. */
} remora_preconnect_options;

/**
 * Makes a connection before it is needed, while the host does something else: sends one GET to a URL
 * of the server, and keeps its connection for the next request of any client to the same scheme, host and port.
 *
 * May be called before remora_setup, and at any other time. Which status the server answers does not
 * matter (204 is the usual one), and neither does the body, of at most 64 KiB. A failure
 * costs nothing but the head start: it is a warning in the log of the clients that are open, or of the next one
 * that is set up; a success is a line of level DEBUG there. A request that begins before the answer is there makes a
 * connection of its own. A connection that nobody used for about two minutes is closed.
 *
 * @param options Initialised by REMORA_INIT; must not be NULL.
 * @param error   Details on failure; NULL accepted.
 * @return REMORA_OK (it has begun); REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_UNAVAILABLE (no thread, libcurl or
 *         libcrypto); REMORA_ERR_CLOSED (the process is exiting).
 * Thread: any, also inside a callback. Ownership: none. Blocks: no, but the first request of a process loads libcurl
 * and libcrypto. Since: 0.1
 */
remora_status remora_preconnect(const remora_preconnect_options *options, remora_error *error);

/* -------------------------------------------------------------- events --- */

/* What happened to a key. */
typedef int32_t remora_change_kind;
#define REMORA_CHANGE_CREATED 1
#define REMORA_CHANGE_UPDATED 2
#define REMORA_CHANGE_DELETED 3

/**
 * A value inside a snapshot: two words, passed by value, nothing to free.
 *
 * Valid as long as its snapshot. Treat the members as private. {NULL, NULL} is the
 * empty value, of type REMORA_TYPE_NONE.
 */
typedef struct remora_value {
  const void *node;
  const void *region;
} remora_value;

/** One changed key. All of it is valid during the callback only. */
typedef struct remora_change {
  remora_change_kind kind; /**< REMORA_CHANGE_CREATED, _UPDATED or _DELETED. */
  remora_origin origin;    /**< REMORA_ORIGIN_… of the new value, as remora_snapshot_get_origin; NONE when deleted. */
  const char *key;        /**< UTF-8, NUL-terminated. */
  size_t key_length;      /**< Bytes, without the NUL. */
  remora_value old_value; /**< Empty when created. */
  remora_value new_value; /**< Empty when deleted. */
} remora_change;

/** An A/B experiment that settings bring: see remora_experiment_find. Lengths are bytes without the NUL. */
typedef struct remora_experiment {
  const char *name; /**< UTF-8, NUL-terminated; not empty. */
  size_t name_length;
  const char *variant; /**< UTF-8, NUL-terminated; "" when the server says none. */
  size_t variant_length;
  double trackable;      /**< The server's number; 0 when it says none. */
  remora_value settings; /**< The keys that it touches: an array of strings; the empty value when the server says
                              none. */
} remora_experiment;

/** An event of a source. All of it is valid during the callback only. */
typedef struct remora_event {
  size_t struct_size;      /**< Bytes that this library filled. */
  remora_source *source;   /**< The handle that subscribed, for calls inside the callback; never NULL. For on_event it is
                                the handle that the opening function returns, which may not have written it to
                                out_source yet. The callback must not close a handle that out_source has not received. */
  const char *source_name; /**< As in remora_attempt. */
  remora_source_kind kind; /**< REMORA_KIND_… of the source. */
  remora_cause cause;      /**< REMORA_CAUSE_… */
  remora_outcome outcome;  /**< REMORA_OUTCOME_…; NONE unless cause is REFRESHED, or it is STAGED. */
  remora_origin origin;    /**< REMORA_ORIGIN_… of new_snapshot. */
  int64_t version;         /**< Of new_snapshot: timestamp in ms since 1970, or the bundle's version; 0 when there is
                                none. */
  const remora_change *changes; /**< Sorted by key. For a subscriber of a key: that key only. */
  size_t change_count;          /**< 0 when nothing readable changed, and for cause OPENED. */
  const remora_snapshot *old_snapshot;      /**< What was live before; never NULL. Retain to keep. */
  const remora_snapshot *new_snapshot;      /**< What is live now; never NULL. Retain to keep. */
  const remora_snapshot *staged_snapshot;   /**< What waits for its activation, of any cause; NULL when nothing does.
                                                 Retain to keep. */
  const remora_experiment *new_experiments; /**< Experiments of new_snapshot that were not live before, or with another
                                                 variant: each is announced once, see docs/settings.md. NULL when there
                                                 are none, and for a subscriber of a key. They live as long as
                                                 new_snapshot. */
  size_t new_experiment_count;
  const remora_error *error;                /**< Why outcome is REFUSED or FAILED; else NULL. */
  const remora_error *storage_error;        /**< The last failure of storage, such as a full disk; else NULL. */
} remora_event;

/**
 * Receives events.
 *
 * May call every function of this header, also remora_unsubscribe, remora_refresh and
 * remora_client_close. Must return; must not throw or longjmp.
 *
 * @param event     Valid during the call.
 * @param user_data As registered.
 * Thread: the client's delivery thread ("remora-events"), or the one that calls
 * remora_dispatch; one call at a time per client, in order of publication, no lock held.
 */
typedef void (*remora_event_callback)(const remora_event *event, void *user_data);

/* ------------------------------------------------------------- sources --- */

typedef int32_t remora_trust;
#define REMORA_TRUST_REQUIRED 0 /**< Signature and chain must verify. The default. */
#define REMORA_TRUST_OFF 1      /**< Nothing is verified: for servers that do not sign. */

/* When what is fetched becomes live. See docs/activation.md. */
typedef int32_t remora_activation;
#define REMORA_ACTIVATION_IMMEDIATE 1  /**< At once. The default of collections. */
#define REMORA_ACTIVATION_NEXT_SETUP 2 /**< When the source is opened anew, as by a later client; or by
                                            remora_activate. */
#define REMORA_ACTIVATION_MANUAL 3     /**< By remora_activate alone, also after a restart. */

/** Which collection to open. Strings and data are copied. */
typedef struct remora_collection_options {
  size_t struct_size;          /**< Set by REMORA_INIT. */
  const char *collection;      /**< [A-Za-z0-9_-]{1,128}, not starting with '-'. Required. */
  const char *server;          /**< As in remora_config; default: the client's. */
  const char *bucket;          /**< As collection; default: the client's. */
  remora_trust trust;               /**< REMORA_TRUST_REQUIRED or REMORA_TRUST_OFF. */
  int32_t reserved;            /**< Must be 0. */
  const char *root_sha256;     /**< SHA-256 of the root certificate (DER) that signers must chain to, 64 hex digits,
                                    colons allowed; default: production's for REMORA_SERVER_PROD, for any other
                                    server that of Mozilla's stage and development servers. */
  const char *signer;          /**< DNS name that the leaf certificate must carry; default as the server's bucket
                                    asks: "remote-settings.content-signature.mozilla.org", for security-state
                                    buckets "onecrl.content-signature.mozilla.org". */
  const char *const *trusted_hosts; /**< NULL-terminated array of further hosts that chains may come from. */
  const char *packaged_file;   /**< Start values: a file {"data": [records], "timestamp": N}, each record with an
                                    "id" and an integer "last_modified"; default none. When its
                                    metadata.signatures bring a "chain" in PEM, it is verified at the first refresh
                                    or sync, without a request; see docs/trust.md. */
  const char *packaged_data;   /**< The same as bytes; not both. */
  size_t packaged_size;        /**< Bytes of packaged_data. */
  int64_t max_future_ms;       /**< How far ahead a timestamp may be; default 24 h, -1 = off. */
  remora_event_callback on_event; /**< A first subscriber, told the state at open before anything fetched. */
  void *on_event_user_data;
  void (*on_event_free_user_data)(void *); /**< Called exactly once, also when opening fails. */
  int64_t refresh_interval_ms; /**< Refresh without being asked, once in about so long; at least 1,000. Default
                                    and -1: never. See docs/refreshing.md. */
  const char *const *previous_roots; /**< NULL-terminated array of at most 8 pins, each as root_sha256, that were
                                    root_sha256 before: what is stored under them stays readable until the first
                                    fetch under the present one. Default none. See docs/trust.md. */
  const char *packaged_attachments; /**< Folder of attachments that the host brings, each named by the id of its
                                    record; default none. See docs/attachments.md. */
  remora_bool persist_overrides;   /**< 1: overrides are stored, and hold at the next open; default 0. */
  int32_t reserved2;           /**< Must be 0. */
  remora_activation activation;          /**< REMORA_ACTIVATION_…; default IMMEDIATE. */
  int32_t reserved3;           /**< Must be 0. */
} remora_collection_options;

/**
 * Opens a collection and makes its newest local data live: cached or packaged,
 * whichever has the higher timestamp. Sends no request.
 *
 * While nothing is cached under the present root, the newest image under one of
 * previous_roots counts as cached. Timestamps that were accepted under them stay the lowest
 * that are accepted.
 *
 * Opening a collection of the same identity (server, bucket, collection and trust policy)
 * twice gives two handles of one source; the packaged data and attachments, previous roots, trusted hosts,
 * limits, interval, persistence and activation of the first hold. A later opening that sets one of
 * them to another value is a warning in the log, which names these options.
 *
 * What an earlier client left staged counts as cached, unless activation is MANUAL: then it
 * stays staged. A newer seed counts as cached too: see remora_seed_save.
 *
 * @param client     Must not be NULL.
 * @param options    Initialised by REMORA_INIT; must not be NULL.
 * @param out_source Receives the source; must not be NULL.
 * @param error      Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_CLOSED; for packaged data
 *         REMORA_ERR_STORAGE (packaged_file is unreadable), REMORA_ERR_PARSE, REMORA_ERR_FORMAT or
 *         REMORA_ERR_TOO_LARGE (256 MiB); for an interval or a first subscriber
 *         REMORA_ERR_UNAVAILABLE (no thread). A damaged cache is not an error: it is logged,
 *         shown by remora_source_get_info, and replaced by the next refresh.
 * Thread: any. Ownership: the caller ends the source with remora_source_close.
 * Blocks: for file system calls, and, to make live what was staged, for the job of the engine thread that is running.
 * Since: 0.1
 */
remora_status remora_open_collection(remora_client *client, const remora_collection_options *options,
                                     remora_source **out_source, remora_error *error);

/**
 * Gives up a source handle. Its subscriptions, asynchronous refreshes and openings of
 * attachments end without a further callback; their handles are still to be given up with
 * remora_unsubscribe and remora_request_release. Open attachments stay readable.
 *
 * @param source NULL is accepted and ignored.
 * Thread: any; no other thread may be using this handle. Ownership: consumes the source.
 * Blocks: for a callback of this handle's subscriptions, refreshes or openings that is
 * running on another thread. Since: 0.1
 */
void remora_source_close(remora_source *source);

/** The state of a source. */
typedef struct remora_source_info {
  size_t struct_size;           /**< Set by REMORA_INIT. */
  remora_origin origin;               /**< REMORA_ORIGIN_… of the live snapshot. */
  int32_t filter_failures;      /**< Records that are hidden because their filter has no value; see the log. */
  int64_t version;              /**< Of the live snapshot: timestamp in ms since 1970, or the bundle's version;
                                     0 when none. */
  int64_t fetched_at_ms;        /**< When its data was fetched, in ms since 1970; 0 when never. */
  int64_t age_ms;               /**< Time since the last successful refresh by anyone; -1 when never. */
  int64_t last_success_ms;      /**< When that was, in ms since 1970; 0 when never. */
  int64_t last_attempt_ms;      /**< The last attempt of anyone, in ms since 1970; 0 when never. */
  int64_t retry_after_ms;       /**< Remaining time of the server's backoff; 0 when none. */
  uint64_t generation;          /**< Grows with every stored image of this source. */
  remora_error last_error;      /**< Of the last refresh; status REMORA_OK when it succeeded. */
  remora_error storage_error;   /**< The last failure of storage or cache, until one succeeds; else REMORA_OK. */
  remora_bool pending;              /**< 1 when something newer is staged, and waits for its activation. */
  int32_t reserved;             /**< 0. */
} remora_source_info;

/**
 * Tells the state of a source.
 *
 * @param source   Must not be NULL.
 * @param out_info struct_size set by the caller, the rest filled; must not be NULL.
 * @param error    Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_CLOSED.
 * Thread: any. Ownership: none. Blocks: for one read of the server's ledger, a file of 1 KiB; in a forked child see
 * "Blocking" above. Since: 0.1
 */
remora_status remora_source_get_info(remora_source *source, remora_source_info *out_info, remora_error *error);

/**
 * The address of a number that tells whether a snapshot is still the live one: for a host
 * that keeps values of its own and asks in a nanosecond whether to read again.
 *
 * Read the number with one load (in C: __atomic_load_n with __ATOMIC_ACQUIRE), then acquire
 * the snapshot, and keep both. As long as the number is the same and not negative, so is the
 * live snapshot. A negative number says nothing: acquire. (The source is closed, or this process
 * does not look out yet for what others store; reading makes it begin.)
 *
 * @param source       Must not be NULL.
 * @param out_revision Receives the address; must not be NULL.
 * @param error        Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_CLOSED.
 * Thread: any. Ownership: the library's; valid until remora_source_close of this handle.
 * Blocks: no. Since: 0.1
 */
remora_status remora_source_get_revision(remora_source *source, const int64_t **out_revision, remora_error *error);

/* ------------------------------------------------------------- bundles --- */

typedef int32_t remora_method;
#define REMORA_METHOD_GET 0  /**< The default. */
#define REMORA_METHOD_POST 1 /**< A POST with an empty body. */

/** Which bundle to open: a versioned JSON document of namespaces, as the Snowplow mobile trackers take their
    remote configuration. Strings are copied. */
typedef struct remora_bundle_options {
  size_t struct_size;          /**< Set by REMORA_INIT. */
  const char *url;             /**< http or https, perhaps with a query, without user name, password and fragment;
                                    without a scheme it gets https. NULL: the bundle is its defaults and
                                    overrides, and nothing is fetched. */
  const char *name;            /**< Tells bundles of the same url, or without one, apart; default "". */
  remora_method method;              /**< REMORA_METHOD_GET or REMORA_METHOD_POST. */
  int32_t fetch_at_open;       /**< 0, the default, begins one refresh at each open, for which nobody waits;
                                    -1 does not. */
  const char *accepted_schema; /**< What `$schema` must begin with behind http:// or https://, up to and with the
                                    number of the model; revision and addition follow. Default
                                    "iglucentral.com/schemas/com.snowplowanalytics.mobile/remote_config/jsonschema/1". */
  const char *default_bundle;  /**< JSON of what is live before anything was fetched, and of what fetched namespaces
                                    inherit: a bundle, which needs neither schema nor version, or the array of its
                                    elements. Default none. */
  int64_t default_version;     /**< Its version, 1 or higher: only what is higher is used of what is fetched. 0, the
                                    default: what default_bundle states itself, or else lower than any. */
  remora_event_callback on_event; /**< A first subscriber. Told the state at open before anything fetched, unless
                                    nothing is cached and there are no defaults. */
  void *on_event_user_data;
  void (*on_event_free_user_data)(void *); /**< Called exactly once, also when opening fails. */
  int64_t refresh_interval_ms; /**< As in remora_collection_options. */
  remora_bool persist_overrides;   /**< As in remora_collection_options. */
  int32_t reserved;            /**< Must be 0. */
} remora_bundle_options;

/**
 * Opens a bundle and makes the cached one live, or else its defaults; then begins a refresh,
 * unless fetch_at_open says no.
 *
 * The keys are the namespaces; a value is the element of its namespace. A fetched bundle is used when its
 * configurationVersion is higher than both the live one and the default's. A document that is no
 * bundle is refused whole; an element or field of a wrong type or range is left out, with
 * a warning in the log that names its JSON Pointer. Fields that the schema does not know stay.
 *
 * A namespace lacks what neither its element nor that of the default bundle has: properties are inherited
 * one by one, from the default bundle only. An element without networkConfiguration removes its
 * namespace, and ends its overrides. A namespace that a newer bundle does not list stays as it was while
 * this process has the bundle open, and is not cached. A newer seed counts as cached: see remora_seed_save.
 * docs/bundles.md has all of it.
 *
 * Opening a bundle of the same identity (url, method, name and accepted schema) twice gives two
 * handles of one source; the defaults, interval and persistence of the first hold, and other values of a later
 * opening are a warning in the log.
 *
 * @param client     Must not be NULL.
 * @param options    Initialised by REMORA_INIT; must not be NULL.
 * @param out_source Receives the source; must not be NULL.
 * @param error      Details on failure; NULL accepted.
 * @return REMORA_OK, also when the refresh cannot begin: it then fails. REMORA_ERR_INVALID_ARGUMENT;
 *         REMORA_ERR_CLOSED; for default_bundle REMORA_ERR_PARSE, REMORA_ERR_FORMAT (with the place of what
 *         a fetched bundle would lose, too) or REMORA_ERR_TOO_LARGE; for an interval or a first
 *         subscriber REMORA_ERR_UNAVAILABLE (no thread). A damaged cache is not an error: see
 *         remora_open_collection.
 * Thread: any. Ownership: the caller ends the source with remora_source_close.
 * Blocks: for file system calls, and, to make live what was staged, for the job of the engine thread that is running
 * and at most 1 s for another process that stores its overrides; the first refresh of a process loads libcurl and
 * libcrypto. Since: 0.1
 */
remora_status remora_open_bundle(remora_client *client, const remora_bundle_options *options,
                                 remora_source **out_source, remora_error *error);

/** A namespace of a bundle. All of it is valid during the callback only. */
typedef struct remora_namespace {
  size_t struct_size; /**< Bytes that this library filled. */
  const char *name;   /**< UTF-8, NUL-terminated. */
  size_t name_length; /**< Bytes, without the NUL. */
  remora_bool in_bundle;  /**< 1: of the bundle that is live. 0: carried over, or made by an override. */
  remora_bool is_default; /**< 1: the first one of the default bundle. */
  remora_origin origin;     /**< REMORA_ORIGIN_…, as remora_snapshot_get_origin. */
  remora_bool has_override; /**< 1: an override is in its value. */
} remora_namespace;

/**
 * Receives one namespace. May call every function of this header.
 *
 * @param entry     Valid during the call.
 * @param user_data As given.
 * @return 0 to go on; anything else ends the walk.
 * Thread: the caller of remora_namespace_foreach.
 */
typedef int32_t (*remora_namespace_visitor)(const remora_namespace *entry, void *user_data);

/**
 * Walks the active namespaces of a bundle: first those of the bundle in its order, then
 * those that were carried over or made by an override, by their bytes.
 *
 * @param source    A bundle; must not be NULL.
 * @param snapshot  A snapshot of this source, such as an event's; NULL: the live one.
 * @param visitor   Called before this function returns; must not be NULL.
 * @param user_data Passed to the callback; stays the caller's.
 * @param error     Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT (also for a source that is no bundle); REMORA_ERR_CLOSED.
 * Thread: any, also inside a callback. Ownership: none. Blocks: no; in a forked child see "Blocking" above.
 * Since: 0.1
 */
remora_status remora_namespace_foreach(remora_source *source, const remora_snapshot *snapshot,
                                       remora_namespace_visitor visitor, void *user_data, remora_error *error);

/* ------------------------------------------------------------ settings --- */

/** Which settings to open: a JSON dictionary of keys and values, as the PAPulse SDK fetches its remote
    settings. Strings and arrays are copied. */
typedef struct remora_settings_options {
  size_t struct_size;                /**< Set by REMORA_INIT. */
  const char *url;                   /**< http or https, perhaps with a query, without user name, password and
                                          fragment; without a scheme it gets https. Default
                                          "https://settings.picsart.com/api/settings". */
  const char *const *request_params; /**< NULL-terminated: name, value, name, value, … What the server is told of
                                          user, segment, experiments or application; added to the query of every
                                          request, percent-encoded. Other parameters are other settings: what was
                                          cached for one user is never another's. They are stored as a digest
                                          only. Default none. */
  const char *root_key;              /**< The member of the document that holds the dictionary, 1 to 256 bytes.
                                          Default none: the document is the dictionary. */
  const char *tag;                   /**< Opens the dictionary of this tag, with its own cache, instead of the main
                                          one: 1 to 256 bytes of UTF-8, of any kind. Default none. */
  const char *tag_item;              /**< The query item that names the tag, 1 to 256 bytes; default "tag". */
  remora_activation activation;                /**< REMORA_ACTIVATION_…; default NEXT_SETUP. With a tag always IMMEDIATE, and
                                          anything else is an invalid argument. */
  int32_t fetch_at_open;             /**< 0, the default, begins one refresh at each open, for which nobody waits;
                                          -1 does not. */
  remora_bool memory_only;               /**< 1: nothing of these settings is stored. */
  remora_bool persist_overrides;         /**< As in remora_collection_options; must be 0 with memory_only. */
  const char *packaged_file;         /**< A document as the server would answer it, live until something was
                                          fetched. Default none. */
  const char *packaged_data;         /**< The same as bytes; not both. */
  size_t packaged_size;              /**< Bytes of packaged_data. */
  remora_event_callback on_event;    /**< A first subscriber, told the state at open before anything else. */
  void *on_event_user_data;
  void (*on_event_free_user_data)(void *); /**< Called exactly once, also when opening fails. */
  int64_t refresh_interval_ms;       /**< As in remora_collection_options. */
  int64_t ttl_ms;                    /**< How long after a success remora_await takes what is there, without a
                                          request. 0, the default, is what the server's Cache-Control says, or
                                          else one hour; -1 always asks. What has expired stays live. A tag that
                                          somebody subscribes is refreshed when it expires, without being asked;
                                          with -1, or an answer that is stale at once, never. With
                                          refresh_interval_ms too, whichever comes first. */
} remora_settings_options;

/**
 * Opens settings and makes the cached ones live, or else what is packaged; then begins a refresh,
 * unless fetch_at_open says no.
 *
 * The keys are the members of the dictionary; a value is any JSON. A key that a newer dictionary does not
 * have is gone; a null reads as if it were not there. A document that is no object, or that has no object
 * under root_key, is refused whole.
 *
 * A document has no version: that of a snapshot is the time of the fetch that first brought its content,
 * in ms since 1970, and always higher than that of the content before it. The same content again is
 * REMORA_OUTCOME_UNCHANGED. A newer seed counts as cached: see remora_seed_save.
 *
 * Opening settings of the same identity (url, parameters, root_key, tag and tag_item) twice gives two
 * handles of one source; the other options of the first hold, and other values of a later opening are a warning in
 * the log. docs/settings.md has all of it.
 *
 * @param client     Must not be NULL.
 * @param options    Initialised by REMORA_INIT; must not be NULL.
 * @param out_source Receives the source; must not be NULL.
 * @param error      Details on failure; NULL accepted.
 * @return REMORA_OK, also when the refresh cannot begin: it then fails. REMORA_ERR_INVALID_ARGUMENT;
 *         REMORA_ERR_CLOSED; for packaged data REMORA_ERR_STORAGE (packaged_file is unreadable), REMORA_ERR_PARSE,
 *         REMORA_ERR_FORMAT or REMORA_ERR_TOO_LARGE (256 MiB); for an interval or a first subscriber
 *         REMORA_ERR_UNAVAILABLE (no thread).
 *         A damaged cache is not an error: see remora_open_collection.
 * Thread: any. Ownership: the caller ends the source with remora_source_close.
 * Blocks: for file system calls, and, to make live what was staged, for the job of the engine thread that is running;
 * the first refresh of a process loads libcurl and libcrypto. Since: 0.1
 */
remora_status remora_open_settings(remora_client *client, const remora_settings_options *options,
                                   remora_source **out_source, remora_error *error);

/**
 * Finds an A/B experiment of settings by its name: which variant the server chose.
 *
 * Experiments are the items of the key `experiments`: an array of objects with the members `name`, `variant`,
 * `trackable` (a number) and `settings` (an array of the keys that it touches), or an object of such items by
 * their names. An item without a name, or with one that came before, is ignored; so is a member of another type.
 * Each is a warning in the log when the document is fetched, with its JSON Pointer, and changes nothing else.
 *
 * New ones are announced by remora_event: new_experiments.
 *
 * @param snapshot       Must not be NULL.
 * @param name           Must not be NULL.
 * @param out_experiment Receives the experiment; must not be NULL.
 * @param error          Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_NOT_FOUND; REMORA_ERR_INVALID_ARGUMENT.
 * Thread: any. Ownership: it lives as long as the snapshot. Blocks: no. Since: 0.1
 */
remora_status remora_experiment_find(const remora_snapshot *snapshot, const char *name,
                                     remora_experiment *out_experiment, remora_error *error);

/**
 * Receives one experiment. May call every function of this header.
 *
 * @param experiment Valid during the call; its strings and its value live as long as the snapshot.
 * @param user_data  As given.
 * @return 0 to go on; anything else ends the walk.
 * Thread: the caller of remora_experiment_foreach.
 */
typedef int32_t (*remora_experiment_visitor)(const remora_experiment *experiment, void *user_data);

/**
 * Walks the experiments of a snapshot: those of an array in its order, those of an object by the bytes of their
 * names.
 *
 * @param snapshot  Must not be NULL. One that is not of settings has none, unless it has such a key.
 * @param visitor   Called before this function returns; must not be NULL.
 * @param user_data Passed to the callback; stays the caller's.
 * @param error     Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT.
 * Thread: any, also inside a callback. Ownership: none. Blocks: no. Since: 0.1
 */
remora_status remora_experiment_foreach(const remora_snapshot *snapshot, remora_experiment_visitor visitor,
                                        void *user_data, remora_error *error);

/* ------------------------------------------------------------- context --- */

/**
 * Tells what filters know of the application. Records of a collection whose member
 * `filter_expression` does not give true in this context are hidden: from getters, snapshots,
 * counts, differences and events.
 *
 * The context is a JSON object. These members are strings (or null), and appear in expressions as:
 *
 *     app_id       env.appinfo.ID                       locale       env.locale
 *     app_version  env.version                          country      env.country
 *     channel      env.channel                          form_factor  env.formFactor
 *     os           env.os.name, env.appinfo.os.name, env.appinfo.OS
 *     os_version   env.os.version, env.appinfo.os.version
 *
 * `preferences` is an object, which preferenceValue, preferenceExists and preferenceIsUserSet read by
 * name. Any other member, of any type, is env.<name>, and wins over the ones above. docs/filters.md
 * has the language of expressions and its limits.
 *
 * When it returns, every open source is filtered anew. Subscribers are told by an event of cause
 * REMORA_CAUSE_CONTEXT what appeared and what vanished, if anything did; no request is sent. Without a
 * context, env has none of these members.
 *
 * @param client Must not be NULL.
 * @param json   A JSON object of at most 1 MiB, nested at most 64 deep; it is copied. NULL: no context.
 * @param error  Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT (not such an object; the context stays as it was);
 *         REMORA_ERR_CLOSED.
 * Thread: any, also inside a callback. Ownership: none. Blocks: for the job of the engine thread that is running, and
 * for evaluating the filters. Since: 0.1
 */
remora_status remora_set_context(remora_client *client, const char *json, remora_error *error);

/* ------------------------------------------------------------- refresh --- */

/**
 * Asks the server for newer settings and waits until they are live, or staged.
 *
 * Refreshes of one source at the same time share one request. Returns when the new
 * snapshot is published, which may be before subscribers have been told; the callback of
 * remora_refresh_async comes after them.
 *
 * @param source      Must not be NULL.
 * @param timeout_ms  The caller's own limit: 0 starts nothing and answers
 *                    REMORA_ERR_TIMEOUT, -1 leaves it to the transport's limits.
 * @param out_outcome Receives REMORA_OUTCOME_…, on failure too (FAILED or REFUSED; NONE for
 *                    an invalid argument); NULL accepted.
 * @param error       Details on failure; NULL accepted.
 * @return REMORA_OK with outcome UPDATED, UNCHANGED, NOT_NEWER or STAGED. If the new values cannot be stored,
 *         the status is REMORA_OK too, and storage_error in remora_source_info has the reason.
 *         On any other status the last good data stays live and stored: REMORA_ERR_TIMEOUT; REMORA_ERR_CLOSED;
 *         REMORA_ERR_CANCELLED (remora_reset was called meanwhile); REMORA_ERR_BACKOFF;
 *         REMORA_ERR_INVALID_ARGUMENT (also for a bundle without url);
 *         REMORA_ERR_STORAGE (another client or process kept the source's files for longer than total_timeout_ms);
 *         REMORA_ERR_CORRUPT (the file of the newest image was changed after it was opened);
 *         of the network REMORA_ERR_NETWORK, REMORA_ERR_TLS, REMORA_ERR_HTTP, REMORA_ERR_REDIRECT,
 *         REMORA_ERR_TOO_LARGE or REMORA_ERR_UNAVAILABLE; of the document REMORA_ERR_PARSE, REMORA_ERR_FORMAT,
 *         REMORA_ERR_FUTURE or REMORA_ERR_EQUIVOCATION; of trust REMORA_ERR_SIGNATURE_MISSING to
 *         REMORA_ERR_CHAIN_LOCATION.
 * Thread: any, also inside a callback. Ownership: none. Blocks: at most timeout_ms. With -1 each request has the limits
 * of the client's remora_config, and the wait for another client or process is at most total_timeout_ms. The first of a
 * process also loads libcurl and libcrypto. Since: 0.1
 */
remora_status remora_refresh(remora_source *source, int64_t timeout_ms, remora_outcome *out_outcome, remora_error *error);

/** The end of an asynchronous call of a source. All of it is valid during the callback only. */
typedef struct remora_result {
  size_t struct_size;                  /**< Bytes that this library filled. */
  remora_source *source;               /**< The handle that the call was made with; never NULL. */
  remora_status status;                /**< As the function that waits would have returned; REMORA_ERR_CANCELLED after
                                            remora_request_cancel. */
  remora_outcome outcome;              /**< Of remora_refresh_async: REMORA_OUTCOME_…; else NONE. */
  const remora_snapshot *snapshot;     /**< Of remora_await_async: the fresh snapshot, or the one that was live when the
                                            call was made; else NULL. Retain to keep. */
  const remora_attachment *attachment; /**< Of remora_attachment_open_async when status is REMORA_OK; else NULL. Retain to
                                            keep. */
  const remora_error *error;           /**< Details when status is not REMORA_OK, else NULL. */
} remora_result;

/**
 * Receives the end of an asynchronous call. Called exactly once, unless the client or the
 * source handle is closed before: then it is not called any more, and its user data is freed.
 *
 * @param result    Valid during the call.
 * @param user_data As registered.
 * Thread: as remora_event_callback, after the events of the same refresh.
 */
typedef void (*remora_result_callback)(const remora_result *result, void *user_data);

/** How to refresh. */
typedef struct remora_refresh_options {
  size_t struct_size; /**< Set by REMORA_INIT. */
  remora_bool force;      /**< 1: ignore the server's backoff, share no request, and do not wait for another refresh of
                           the source that has no answer yet, by any client or process. If this refresh succeeds
                           first, it also ends the client's earlier ones, with its outcome. Default 0. */
  int32_t reserved;   /**< Must be 0. */
} remora_refresh_options;

/**
 * As remora_refresh, without waiting.
 *
 * @param source         Must not be NULL.
 * @param options        NULL accepted: the defaults.
 * @param callback       Told the end; NULL accepted.
 * @param user_data      Passed to the callback.
 * @param free_user_data Called exactly once, also when this function fails; NULL accepted.
 * @param out_request    Receives a handle for cancelling; NULL accepted.
 * @param error          Details on failure; NULL accepted.
 * @return REMORA_OK (the callback will come); REMORA_ERR_INVALID_ARGUMENT (also for a bundle without url);
 *         REMORA_ERR_CLOSED; REMORA_ERR_UNAVAILABLE (no thread, libcurl or libcrypto).
 * Thread: any, also inside a callback. Ownership: the request is given up with
 * remora_request_release. Blocks: no, but the first of a process loads libcurl and
 * libcrypto. Since: 0.1
 */
remora_status remora_refresh_async(remora_source *source, const remora_refresh_options *options,
                                   remora_result_callback callback, void *user_data,
                                   void (*free_user_data)(void *), remora_request **out_request,
                                   remora_error *error);

/**
 * Gives up interest in an asynchronous refresh, sync or opening: its callback gets
 * REMORA_ERR_CANCELLED unless it has ended already. The request itself ends
 * when nobody is interested any more, and a late answer then changes nothing.
 *
 * @param request NULL is accepted and ignored.
 * Thread: any, also inside a callback. Ownership: none; still to be released. Blocks: no. Since: 0.1
 */
void remora_request_cancel(remora_request *request);

/**
 * Gives up a request handle, without cancelling.
 *
 * @param request NULL is accepted and ignored.
 * Thread: any. Ownership: consumes the request. Blocks: no. Since: 0.1
 */
void remora_request_release(remora_request *request);

/** remora_await: send no request when the source has data, packaged, default, fetched or staged, even if that is
    nothing. */
#define REMORA_AWAIT_IF_EMPTY 1u

/**
 * Waits for a fresh snapshot: the refreshed one if it comes in time, else the one that
 * was live when the call was made. What is staged is not live: then too it is the live one.
 *
 * Settings that have not expired (ttl_ms) are fresh, and no request is sent.
 *
 * @param source       Must not be NULL.
 * @param flags        0 or REMORA_AWAIT_IF_EMPTY.
 * @param timeout_ms   0 answers REMORA_OK at once, without a request; -1 leaves it to the
 *                     transport's limits.
 * @param out_snapshot Receives a snapshot whenever there is one to give, also on
 *                     failure (else NULL); must not be NULL.
 * @param error        Details on failure; NULL accepted.
 * @return REMORA_OK (refreshed, or no request was needed); otherwise a status of remora_refresh, and `*out_snapshot`
 *         is the fallback. It is NULL if an argument is invalid, or the client was closed before the call.
 * Thread: any, also inside a callback. Ownership: the caller releases the snapshot.
 * Blocks: as remora_refresh. Since: 0.1
 */
remora_status remora_await(remora_source *source, remora_flags flags, int64_t timeout_ms,
                           remora_snapshot **out_snapshot, remora_error *error);

/**
 * As remora_await, without waiting. Without a callback it is a prefetch: what comes is there for later waits and reads.
 *
 * @param source         Must not be NULL.
 * @param flags          0 or REMORA_AWAIT_IF_EMPTY.
 * @param timeout_ms     As remora_await; at its end the callback gets REMORA_ERR_TIMEOUT and the fallback, and
 *                       the request ends unless others wait for it.
 * @param callback       Told the end, once; NULL accepted. Not called after the client or the source was closed.
 * @param user_data      Passed to the callback.
 * @param free_user_data Called exactly once, also when this function fails; NULL accepted.
 * @param out_request    Receives a handle for cancelling; NULL accepted.
 * @param error          Details on failure; NULL accepted.
 * @return REMORA_OK (the callback will come); REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_CLOSED;
 *         REMORA_ERR_UNAVAILABLE (no thread, libcurl or libcrypto).
 * Thread: any, also inside a callback. Ownership: the request is given up with
 * remora_request_release. Blocks: no, but the first of a process loads libcurl and
 * libcrypto. Since: 0.1
 */
remora_status remora_await_async(remora_source *source, remora_flags flags, int64_t timeout_ms,
                                 remora_result_callback callback, void *user_data, void (*free_user_data)(void *),
                                 remora_request **out_request, remora_error *error);

/**
 * Forgets everything fetched: images, also a staged one, a seed, highest accepted version, last error. The
 * packaged data or the default bundle is live again; the next refresh fetches the whole collection. A refresh
 * under way ends with REMORA_ERR_CANCELLED. Overrides stay.
 *
 * The way out when a server signed a timestamp by mistake.
 *
 * @param source Must not be NULL.
 * @param error  Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_CLOSED; REMORA_ERR_UNAVAILABLE (no thread);
 *         REMORA_ERR_STORAGE (another client or process keeps the source's files for 5 s, or a ledger cannot be read
 *         or written) or REMORA_ERR_PERMISSION (a file or the directory is not ours alone): nothing was forgotten,
 *         and only a refresh under way has ended. If the reset is stored but a later step fails, such as the removal
 *         of an image, the status is REMORA_OK, and storage_error in remora_source_info has the reason.
 * Thread: any, also inside a callback. Ownership: none. Blocks: at most 5 s for another client or process that keeps
 * the source's files, such as for a refresh; also for the jobs of the engine thread that come first, and for file
 * system calls. Since: 0.1
 */
remora_status remora_reset(remora_source *source, remora_error *error);

/* ---------------------------------------------------------- activation --- */

/**
 * Makes live what is staged: in this process at once, and for every client that opens the source
 * from now on. Other processes that have it open keep what they have.
 *
 * It may be called at any time and with every activation; inside the callback of the event whose
 * outcome is STAGED it takes that event's staged_snapshot, or a newer one. Subscribers are told by an
 * event of cause REMORA_CAUSE_ACTIVATED. While another process holds the source's files, storing
 * what was activated is left to the engine thread; should the process end before, it is staged again
 * at the next open.
 *
 * @param source      Must not be NULL.
 * @param out_outcome Receives REMORA_OUTCOME_UPDATED, or UNCHANGED when nothing was staged; NONE on
 *                    failure; NULL accepted.
 * @param error       Details on failure; NULL accepted.
 * @return REMORA_OK, also when the storage failed: see storage_error in remora_source_info;
 *         REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_CLOSED.
 * Thread: any, also inside a callback. Ownership: none. Blocks: for the job of the engine thread that is running, and
 * for file system calls; of a bundle that removes a namespace at most 1 s for another process that stores its
 * overrides. Since: 0.1
 */
remora_status remora_activate(remora_source *source, remora_outcome *out_outcome, remora_error *error);

/**
 * Leaves what is live as it is for the rest of the client's life: what is fetched from now on is
 * staged, as with REMORA_ACTIVATION_NEXT_SETUP, and live when a later client opens the source.
 *
 * No subscriber of the source is told of anything any more, but the current state when it asks for
 * that; ends of asynchronous refreshes are told. It holds for all handles of the source, also for
 * those that this client opens later. remora_activate, overrides, the context and remora_reset still
 * change what is live, since the host itself asks for them.
 *
 * When it returns, no event callback of this source is running or will run, except when called
 * inside a callback of Remora's: then it does not wait.
 *
 * @param source Must not be NULL.
 * @param error  Details on failure; NULL accepted.
 * @return REMORA_OK, also when it was called before; REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_CLOSED.
 * Thread: any, also inside a callback. Ownership: none. Blocks: for the job of the engine thread that is running, and
 * for a callback of the source's subscriptions that is running on another thread. Since: 0.1
 */
remora_status remora_stop_listening(remora_source *source, remora_error *error);

/* ---------------------------------------------------------------- sync --- */

/** What a sync did for one source. All of it is valid during the callback only. */
typedef struct remora_sync_item {
  const char *source_name;   /**< As in remora_attempt, and so the next two. */
  const char *server;        /**< The base URL of its server. */
  remora_source_kind kind;   /**< REMORA_KIND_… */
  remora_outcome outcome;    /**< REMORA_OUTCOME_… */
  remora_status status;      /**< REMORA_OK for UPDATED, UNCHANGED, NOT_NEWER and STAGED. */
  int32_t reserved;          /**< 0. */
  const remora_error *error; /**< Details when status is not REMORA_OK, else NULL. */
} remora_sync_item;

/** What a sync came to. All of it is valid during the callback only. */
typedef struct remora_sync_report {
  size_t struct_size;            /**< Bytes that this library filled. */
  const remora_sync_item *items; /**< One per source that was open at the call, in the order of opening; none of
                                      a bundle without url. */
  size_t total;                  /**< How many; updated + unchanged + staged + failed. */
  size_t updated;                /**< Sources with outcome UPDATED. */
  size_t unchanged;              /**< With UNCHANGED or NOT_NEWER. */
  size_t failed;                 /**< With REFUSED or FAILED. */
  remora_status status;          /**< REMORA_OK when none failed; else that of the first that did. */
  int32_t reserved;              /**< 0. */
  const remora_error *error;     /**< That failure, with the counts in its message; NULL when none failed. */
  size_t staged;                 /**< With STAGED. */
} remora_sync_report;

/**
 * Tells what a sync came to. Must return; must not throw or longjmp.
 *
 * @param report    Valid during the call.
 * @param user_data As given.
 * Thread: for remora_sync its caller's; for remora_sync_async as remora_event_callback,
 * after the events of its refreshes.
 */
typedef void (*remora_sync_callback)(const remora_sync_report *report, void *user_data);

/**
 * Refreshes the sources of a client that moved, and waits until they are live.
 *
 * Asks the monitor of each server once, and then for the collections whose timestamp is not
 * the newest one's here or that the monitor does not list: four at a time, sharing requests with
 * refreshes that run already. A bundle has no monitor, and is always asked for. A source that
 * fails stops no other; when a monitor fails, so do all sources of its server. A source that the
 * monitor calls unchanged is not asked for:
 * it gets no event, and its age grows, because nobody signs what a monitor says.
 *
 * @param client     Must not be NULL.
 * @param timeout_ms The caller's own limit: 0 starts nothing, -1 leaves it to the transport's
 *                   limits. Sources that have no outcome then fail with REMORA_ERR_TIMEOUT.
 * @param callback   Called once before this function returns, unless an argument is invalid,
 *                   the client is closed or nothing could be started; NULL accepted.
 * @param user_data  Passed to the callback; stays the caller's.
 * @param error      Details on failure, as in the report; NULL accepted.
 * @return REMORA_OK (all succeeded, or nothing is open); REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_CLOSED;
 *         REMORA_ERR_UNAVAILABLE (no thread, libcurl or libcrypto); otherwise the status of the first source that
 *         failed, which is one of those of remora_refresh.
 * Thread: any, also inside a callback. Ownership: none. Blocks: at most timeout_ms, and for the callback; with -1 for
 * the monitors' requests and then as remora_refresh for each source, four at a time. Since: 0.1
 */
remora_status remora_sync(remora_client *client, int64_t timeout_ms, remora_sync_callback callback,
                          void *user_data, remora_error *error);

/**
 * Syncs after a push message that announced a timestamp.
 *
 * Sends the timestamp to the monitor as `_expected`. A cache between the client and the server then cannot answer with
 * a list that it stored before the push. Otherwise as remora_sync.
 *
 * @param client       Must not be NULL.
 * @param announced_at The timestamp of the push message, in ms since 1970. For Mozilla's broadcast `remote-settings/
 *                     monitor_changes`: its version without the quotes. 0: no timestamp, as remora_sync.
 * @param timeout_ms   As remora_sync.
 * @param callback     As remora_sync; NULL accepted.
 * @param user_data    Passed to the callback; stays the caller's.
 * @param error        Details on failure; NULL accepted.
 * @return As remora_sync; also REMORA_ERR_INVALID_ARGUMENT for a negative timestamp.
 * Thread: any, also inside a callback. Ownership: none. Blocks: as remora_sync. Since: 0.1
 */
remora_status remora_sync_announced(remora_client *client, int64_t announced_at, int64_t timeout_ms,
                                    remora_sync_callback callback, void *user_data, remora_error *error);

/**
 * As remora_sync, without waiting. The callback is called exactly once, unless the client is
 * closed before: then it is not called any more, and its user data is freed.
 *
 * @param client         Must not be NULL.
 * @param callback       Told the end; NULL accepted.
 * @param user_data      Passed to the callback.
 * @param free_user_data Called exactly once, also when this function fails; NULL accepted.
 * @param out_request    Receives a handle for cancelling: sources without an outcome then fail
 *                       with REMORA_ERR_CANCELLED; NULL accepted.
 * @param error          Details on failure; NULL accepted.
 * @return REMORA_OK (the callback will come); REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_CLOSED;
 *         REMORA_ERR_UNAVAILABLE (no thread, libcurl or libcrypto).
 * Thread: any, also inside a callback. Ownership: the request is given up with
 * remora_request_release. Blocks: no, but the first of a process loads libcurl and
 * libcrypto. Since: 0.1
 */
remora_status remora_sync_async(remora_client *client, remora_sync_callback callback, void *user_data,
                                void (*free_user_data)(void *), remora_request **out_request, remora_error *error);

/**
 * As remora_sync_announced, without waiting; as remora_sync_async.
 *
 * @param client         Must not be NULL.
 * @param announced_at   As remora_sync_announced.
 * @param callback       Called with the report; NULL accepted.
 * @param user_data      Passed to the callback.
 * @param free_user_data Called exactly once, also when this function fails; NULL accepted.
 * @param out_request    As remora_sync_async; NULL accepted.
 * @param error          Details on failure; NULL accepted.
 * @return REMORA_OK (the callback will come); REMORA_ERR_INVALID_ARGUMENT (also for a negative timestamp);
 *         REMORA_ERR_CLOSED; REMORA_ERR_UNAVAILABLE (no thread, libcurl or libcrypto).
 * Thread: any, also inside a callback. Ownership: the caller releases the request with remora_request_release.
 * Blocks: no, but the first of a process loads libcurl and libcrypto. Since: 0.1
 */
remora_status remora_sync_announced_async(remora_client *client, int64_t announced_at,
                                          remora_sync_callback callback, void *user_data,
                                          void (*free_user_data)(void *), remora_request **out_request,
                                          remora_error *error);

/* ---------------------------------------------------------- get by key --- */

/**
 * Reads a boolean; never fails.
 *
 * @param source        NULL gives the default.
 * @param key           The key (for collections: the record id, for bundles: the namespace); NULL gives the default.
 * @param pointer       JSON Pointer into the value; NULL: the whole value.
 * @param default_value Given back when there is no such value or it is not a boolean.
 * @return 1, 0 or default_value.
 * Thread: any, also while another publishes. Ownership: none. Blocks: no; in a forked child see "Blocking" above.
 * Since: 0.1
 */
remora_bool remora_get_bool(remora_source *source, const char *key, const char *pointer, remora_bool default_value);

/**
 * Reads an integer; never fails.
 *
 * @param source        NULL gives the default.
 * @param key           As for remora_get_bool.
 * @param pointer       As for remora_get_bool.
 * @param default_value Given back when there is no such value or it is not a number that
 *                      is exactly a 64-bit integer.
 * @return The integer or default_value.
 * Thread: any, also while another publishes. Ownership: none. Blocks: no; in a forked child see "Blocking" above.
 * Since: 0.1
 */
int64_t remora_get_int(remora_source *source, const char *key, const char *pointer, int64_t default_value);

/**
 * Reads a number; never fails.
 *
 * @param source        NULL gives the default.
 * @param key           As for remora_get_bool.
 * @param pointer       As for remora_get_bool.
 * @param default_value Given back when there is no such value or it is not a number that
 *                      is exactly a double.
 * @return The number or default_value.
 * Thread: any, also while another publishes. Ownership: none. Blocks: no; in a forked child see "Blocking" above.
 * Since: 0.1
 */
double remora_get_double(remora_source *source, const char *key, const char *pointer, double default_value);

/**
 * Copies a string; never fails. The rules are snprintf's: at most
 * `size` bytes are written, always NUL-terminated when size > 0, cut between characters.
 *
 * @param source        NULL gives the default.
 * @param key           As for remora_get_bool.
 * @param pointer       As for remora_get_bool.
 * @param buffer        Receives the string; NULL only when size is 0.
 * @param size          Bytes of buffer.
 * @param default_value Copied when there is no such value or it is not a string; NULL
 *                      counts as "".
 * @return The length in bytes of the whole string, without the NUL.
 * Thread: any, also while another publishes. Ownership: none. Blocks: no; in a forked child see "Blocking" above.
 * Since: 0.1
 */
size_t remora_get_string(remora_source *source, const char *key, const char *pointer, char *buffer, size_t size,
                         const char *default_value);

/**
 * Copies a URL: as remora_get_string, for strings that are an absolute URI (RFC 3986) of at most 8,192 bytes,
 * such as "https://example.com/a" or "app://editor".
 *
 * Any scheme is accepted: check the scheme before the URL is opened. A URL of http or https must have a valid host, and
 * neither user name nor password.
 *
 * @param source        NULL gives the default.
 * @param key           As for remora_get_bool.
 * @param pointer       As for remora_get_bool.
 * @param buffer        Receives the URL; NULL only when size is 0.
 * @param size          Bytes of buffer.
 * @param default_value Copied when there is no such value or it is not such a URL; NULL counts as "".
 * @return The length in bytes of the whole URL, without the NUL.
 * Thread: any, also while another publishes. Ownership: none. Blocks: no; in a forked child see "Blocking" above.
 * Since: 0.1
 */
size_t remora_get_url(remora_source *source, const char *key, const char *pointer, char *buffer, size_t size,
                      const char *default_value);

/**
 * Copies the canonical JSON text of a value of any type, such as an array or an object: as remora_get_string otherwise.
 *
 * @param source        NULL gives the default.
 * @param key           As for remora_get_bool.
 * @param pointer       As for remora_get_bool.
 * @param buffer        Receives the text; NULL only when size is 0.
 * @param size          Bytes of buffer.
 * @param default_value Copied, unparsed, when there is no such value or it is null; NULL counts as "", which is no
 *                      JSON text.
 * @return The length in bytes of the whole text, without the NUL.
 * Thread: any, also while another publishes. Ownership: none. Blocks: no; in a forked child see "Blocking" above.
 * Since: 0.1
 */
size_t remora_get_json(remora_source *source, const char *key, const char *pointer, char *buffer, size_t size,
                       const char *default_value);

/* ----------------------------------------------------------- snapshots --- */

/** remora_snapshot_acquire: the data as it came, with what filters hide and without overrides and defaults; a
    namespace that a bundle removes is null. For tools. */
#define REMORA_SNAPSHOT_UNFILTERED 1u

/**
 * Takes the live snapshot of a source.
 *
 * A source that has nothing yet gives a snapshot with origin REMORA_ORIGIN_NONE, empty but for overrides.
 *
 * @param source       Must not be NULL.
 * @param flags        0 or REMORA_SNAPSHOT_UNFILTERED.
 * @param out_snapshot Receives the snapshot; must not be NULL.
 * @param error        Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_CLOSED.
 * Thread: any. Ownership: the caller releases the snapshot. Blocks: no; in a forked child see "Blocking" above.
 * Since: 0.1
 */
remora_status remora_snapshot_acquire(remora_source *source, remora_flags flags, remora_snapshot **out_snapshot,
                                      remora_error *error);

/**
 * Adds an owner.
 *
 * @param snapshot NULL is accepted.
 * @return The snapshot; the new owner releases it.
 * Thread: any. Ownership: shared. Blocks: no. Since: 0.1
 */
remora_snapshot *remora_snapshot_retain(const remora_snapshot *snapshot);

/**
 * Ends one ownership; the last one frees the snapshot.
 *
 * @param snapshot NULL is accepted and ignored.
 * Thread: any. Ownership: consumes one. Blocks: no. Since: 0.1
 */
void remora_snapshot_release(remora_snapshot *snapshot);

/** What a snapshot is. */
typedef struct remora_snapshot_info {
  size_t struct_size;    /**< Set by REMORA_INIT. */
  remora_origin origin;        /**< REMORA_ORIGIN_… */
  remora_bool verified;      /**< 1 when a signature was verified for this data, which overrides are no part of;
                              packaged data: see packaged_file. */
  int64_t version;       /**< Timestamp in ms since 1970, or the bundle's version; 0 when there is none. */
  int64_t fetched_at_ms; /**< When it was fetched, in ms since 1970; 0 when never. */
  size_t count;          /**< Number of keys. */
} remora_snapshot_info;

/**
 * Tells what a snapshot is.
 *
 * @param snapshot Must not be NULL.
 * @param out_info struct_size set by the caller, the rest filled; must not be NULL.
 * @param error    Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT.
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
remora_status remora_snapshot_get_info(const remora_snapshot *snapshot, remora_snapshot_info *out_info,
                                       remora_error *error);

/**
 * The number of keys.
 *
 * @param snapshot NULL counts as empty.
 * @return How many keys remora_snapshot_item can read; 0 for NULL.
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
size_t remora_snapshot_count(const remora_snapshot *snapshot);

/**
 * Finds the value of a key.
 *
 * @param snapshot  Must not be NULL.
 * @param key       Must not be NULL; at most 65,535 bytes.
 * @param out_value Receives the value; must not be NULL.
 * @param error     Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_NOT_FOUND; REMORA_ERR_INVALID_ARGUMENT (NULL, or the key
 *         is empty, too long or not UTF-8).
 * Thread: any. Ownership: the value lives as long as the snapshot. Blocks: no. Since: 0.1
 */
remora_status remora_snapshot_get(const remora_snapshot *snapshot, const char *key, remora_value *out_value,
                                  remora_error *error);

/**
 * As remora_snapshot_get, with a key that need not be NUL-terminated.
 *
 * @param snapshot   Must not be NULL.
 * @param key        Must not be NULL.
 * @param key_length Bytes of the key, 1 to 65,535.
 * @param out_value  Receives the value; must not be NULL.
 * @param error      Details on failure; NULL accepted.
 * @return As remora_snapshot_get.
 * Thread: any. Ownership: the value lives as long as the snapshot. Blocks: no. Since: 0.1
 */
remora_status remora_snapshot_get_n(const remora_snapshot *snapshot, const char *key, size_t key_length,
                                    remora_value *out_value, remora_error *error);

/**
 * The key and value at a position, in a stable order: sorted by the bytes of the key.
 *
 * @param snapshot       Must not be NULL.
 * @param index          0 to remora_snapshot_count - 1.
 * @param out_key        Receives the key, NUL-terminated; NULL accepted.
 * @param out_key_length Receives its bytes; NULL accepted.
 * @param out_value      Receives the value; NULL accepted.
 * @param error          Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_NOT_FOUND (index too large); REMORA_ERR_INVALID_ARGUMENT.
 * Thread: any. Ownership: key and value live as long as the snapshot. Blocks: no. Since: 0.1
 */
remora_status remora_snapshot_item(const remora_snapshot *snapshot, size_t index, const char **out_key,
                                   size_t *out_key_length, remora_value *out_value, remora_error *error);

/**
 * Reads a boolean.
 *
 * @param snapshot  Must not be NULL.
 * @param key       Must not be NULL.
 * @param pointer   JSON Pointer into the value; NULL: the whole value.
 * @param out_value Receives 1 or 0; must not be NULL.
 * @param error     Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_NOT_FOUND (also for null); REMORA_ERR_WRONG_TYPE;
 *         REMORA_ERR_INVALID_ARGUMENT (also for a malformed pointer).
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
remora_status remora_snapshot_get_bool(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                       remora_bool *out_value, remora_error *error);

/**
 * Reads an integer. A double that is exactly a 64-bit integer counts.
 *
 * @param snapshot  Must not be NULL.
 * @param key       Must not be NULL.
 * @param pointer   JSON Pointer into the value; NULL: the whole value.
 * @param out_value Receives the integer; must not be NULL.
 * @param error     Details on failure; NULL accepted.
 * @return As remora_snapshot_get_bool.
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
remora_status remora_snapshot_get_int(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                      int64_t *out_value, remora_error *error);

/**
 * Reads a number. An integer that is exactly a double counts.
 *
 * @param snapshot  Must not be NULL.
 * @param key       Must not be NULL.
 * @param pointer   JSON Pointer into the value; NULL: the whole value.
 * @param out_value Receives the number; must not be NULL.
 * @param error     Details on failure; NULL accepted.
 * @return As remora_snapshot_get_bool.
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
remora_status remora_snapshot_get_double(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                         double *out_value, remora_error *error);

/**
 * Reads a string without copying it.
 *
 * @param snapshot   Must not be NULL.
 * @param key        Must not be NULL.
 * @param pointer    JSON Pointer into the value; NULL: the whole value.
 * @param out_string Receives the string, NUL-terminated; must not be NULL.
 * @param out_length Receives its bytes without the NUL; NULL accepted.
 * @param error      Details on failure; NULL accepted.
 * @return As remora_snapshot_get_bool.
 * Thread: any. Ownership: the string lives as long as the snapshot. Blocks: no. Since: 0.1
 */
remora_status remora_snapshot_get_string(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                         const char **out_string, size_t *out_length, remora_error *error);

/**
 * Reads a string that is an absolute URI, by the rules of remora_get_url, without copying it.
 *
 * @param snapshot   Must not be NULL.
 * @param key        Must not be NULL.
 * @param pointer    JSON Pointer into the value; NULL: the whole value.
 * @param out_url    Receives the URL, NUL-terminated; must not be NULL.
 * @param out_length Receives its bytes without the NUL; NULL accepted.
 * @param error      Details on failure; NULL accepted.
 * @return As remora_snapshot_get_bool.
 * Thread: any. Ownership: the URL lives as long as the snapshot. Blocks: no. Since: 0.1
 */
remora_status remora_snapshot_get_url(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                      const char **out_url, size_t *out_length, remora_error *error);

/**
 * Writes JSON text: of one value, or of the whole snapshot as one object.
 *
 * The text is canonical (keys sorted, no spaces, non-ASCII escaped, 0.75 as 7.5E-1): the
 * form that Remote Settings servers sign.
 *
 * @param snapshot   Must not be NULL.
 * @param key        NULL: the whole snapshot.
 * @param pointer    JSON Pointer into the value; NULL: the whole value. Must be NULL when key is.
 * @param buffer     Receives the text, cut at `size` and NUL-terminated; NULL only when size is 0.
 * @param size       Bytes of buffer.
 * @param out_length Receives the bytes of the whole text without the NUL; must not be NULL.
 * @param error      Details on failure; NULL accepted.
 * @return REMORA_OK (compare *out_length with size); REMORA_ERR_NOT_FOUND; REMORA_ERR_INVALID_ARGUMENT;
 *         REMORA_ERR_CORRUPT (the file of the image was changed after it was opened).
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
remora_status remora_snapshot_get_json(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                       char *buffer, size_t size, size_t *out_length, remora_error *error);

/**
 * Tells where the value of a key comes from.
 *
 * @param snapshot   Must not be NULL.
 * @param key        Must not be NULL.
 * @param out_origin Receives REMORA_ORIGIN_OVERRIDE when an override is in the value, REMORA_ORIGIN_DEFAULT when
 *                   all of it is the default bundle's, else the origin of the snapshot, or of the one that a
 *                   namespace was carried over from; must not be NULL.
 * @param error      Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_NOT_FOUND; REMORA_ERR_INVALID_ARGUMENT.
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
remora_status remora_snapshot_get_origin(const remora_snapshot *snapshot, const char *key, remora_origin *out_origin,
                                         remora_error *error);

/**
 * Receives one difference of two snapshots.
 *
 * @param change    Valid during the call; its values live as long as their snapshots.
 * @param user_data As given.
 * @return 0 to go on; anything else ends the walk.
 * Thread: the caller of remora_snapshot_diff.
 */
typedef int32_t (*remora_change_visitor)(const remora_change *change, void *user_data);

/**
 * Walks the differences of two snapshots in order of keys, by value: an equal value
 * written differently is no difference. (10 and 1e1 are of different types.)
 *
 * @param old_snapshot NULL counts as empty.
 * @param new_snapshot NULL counts as empty.
 * @param visitor      Called before this function returns; must not be NULL.
 * @param user_data    Passed to the callback; stays the caller's.
 * @param error        Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT.
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
remora_status remora_snapshot_diff(const remora_snapshot *old_snapshot, const remora_snapshot *new_snapshot,
                                   remora_change_visitor visitor, void *user_data, remora_error *error);

/* -------------------------------------------------------------- values --- */

typedef int32_t remora_type;
#define REMORA_TYPE_NONE 0 /**< The empty value: not part of any snapshot. */
#define REMORA_TYPE_NULL 1
#define REMORA_TYPE_BOOL 2
#define REMORA_TYPE_INT 3
#define REMORA_TYPE_DOUBLE 4
#define REMORA_TYPE_STRING 5
#define REMORA_TYPE_ARRAY 6
#define REMORA_TYPE_OBJECT 7

/**
 * The type of a value.
 *
 * @param value The empty value is REMORA_TYPE_NONE.
 * @return REMORA_TYPE_…
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
remora_type remora_value_type(remora_value value);

/**
 * Reads a boolean.
 *
 * @param value     A value of a live snapshot.
 * @param out_value Receives 1 or 0; must not be NULL.
 * @param error     Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_NOT_FOUND (null); REMORA_ERR_WRONG_TYPE;
 *         REMORA_ERR_INVALID_ARGUMENT (the empty value, NULL).
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
remora_status remora_value_get_bool(remora_value value, remora_bool *out_value, remora_error *error);

/**
 * Reads an integer. A double that is exactly a 64-bit integer counts.
 *
 * @param value     A value of a live snapshot.
 * @param out_value Receives the integer; must not be NULL.
 * @param error     Details on failure; NULL accepted.
 * @return As remora_value_get_bool.
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
remora_status remora_value_get_int(remora_value value, int64_t *out_value, remora_error *error);

/**
 * Reads a number. An integer that is exactly a double counts.
 *
 * @param value     A value of a live snapshot.
 * @param out_value Receives the number; must not be NULL.
 * @param error     Details on failure; NULL accepted.
 * @return As remora_value_get_bool.
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
remora_status remora_value_get_double(remora_value value, double *out_value, remora_error *error);

/**
 * Reads a string without copying it.
 *
 * @param value      A value of a live snapshot.
 * @param out_string Receives the string, NUL-terminated; must not be NULL.
 * @param out_length Receives its bytes without the NUL; NULL accepted.
 * @param error      Details on failure; NULL accepted.
 * @return As remora_value_get_bool.
 * Thread: any. Ownership: the string lives as long as the snapshot. Blocks: no. Since: 0.1
 */
remora_status remora_value_get_string(remora_value value, const char **out_string, size_t *out_length,
                                      remora_error *error);

/**
 * Writes the canonical JSON text of a value, by the rules of remora_snapshot_get_json.
 *
 * @param value      A value of a live snapshot.
 * @param buffer     Receives the text; NULL only when size is 0.
 * @param size       Bytes of buffer.
 * @param out_length Receives the bytes of the whole text; must not be NULL.
 * @param error      Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_CORRUPT as remora_snapshot_get_json.
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
remora_status remora_value_get_json(remora_value value, char *buffer, size_t size, size_t *out_length,
                                    remora_error *error);

/**
 * The number of elements of an array or members of an object; 0 for anything else.
 *
 * @param value Any value.
 * @return How many elements or members; 0 for the empty value too.
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
size_t remora_value_count(remora_value value);

/**
 * A member of an object, by name.
 *
 * @param value     An object.
 * @param name      Must not be NULL; "" is a possible name.
 * @param out_value Receives the member, which may be null; must not be NULL.
 * @param error     Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_NOT_FOUND; REMORA_ERR_WRONG_TYPE (not an object);
 *         REMORA_ERR_INVALID_ARGUMENT.
 * Thread: any. Ownership: lives as long as the snapshot. Blocks: no. Since: 0.1
 */
remora_status remora_value_member(remora_value value, const char *name, remora_value *out_value,
                                  remora_error *error);

/**
 * Returns the element of an array or the member of an object at a position. Members are in the order of their names' bytes.
 *
 * @param value           An array or an object.
 * @param index           0 to remora_value_count - 1.
 * @param out_name        Receives the name, NUL-terminated; NULL for an element. NULL accepted.
 * @param out_name_length Receives its bytes; 0 for an element. NULL accepted.
 * @param out_value       Receives the element or member, which may be null; NULL accepted.
 * @param error           Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_NOT_FOUND (index too large); REMORA_ERR_WRONG_TYPE (neither an array nor an object);
 *         REMORA_ERR_INVALID_ARGUMENT.
 * Thread: any. Ownership: lives as long as the snapshot. Blocks: no. Since: 0.1
 */
remora_status remora_value_item(remora_value value, size_t index, const char **out_name, size_t *out_name_length,
                                remora_value *out_value, remora_error *error);

/**
 * Follows a JSON Pointer (RFC 6901).
 *
 * @param value     Where to start.
 * @param pointer   NULL or "" is the value itself.
 * @param out_value Receives what it points to, which may be null; must not be NULL.
 * @param error     Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_NOT_FOUND; REMORA_ERR_INVALID_ARGUMENT (malformed pointer).
 * Thread: any. Ownership: lives as long as the snapshot. Blocks: no. Since: 0.1
 */
remora_status remora_value_resolve(remora_value value, const char *pointer, remora_value *out_value,
                                   remora_error *error);

/* --------------------------------------------------------- attachments --- */

/**
 * Writes what a record says beside what every record has: its members but `id`,
 * `last_modified` and `attachment`, as one canonical JSON object, by the rules of
 * remora_snapshot_get_json.
 *
 * @param record     A record: the value of a key of a collection.
 * @param buffer     Receives the text; NULL only when size is 0.
 * @param size       Bytes of buffer.
 * @param out_length Receives the bytes of the whole text; must not be NULL.
 * @param error      Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_WRONG_TYPE (not an object); REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_CORRUPT as
 *         remora_snapshot_get_json.
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
remora_status remora_value_record_fields(remora_value record, char *buffer, size_t size, size_t *out_length,
                                         remora_error *error);

/** Flag of remora_attachment_options: send no request. */
#define REMORA_ATTACHMENT_LOCAL 1u

/** How far a download is. */
typedef struct remora_progress {
  size_t struct_size; /**< Bytes that this library filled. */
  int64_t received;   /**< Bytes that are here, with those of an earlier download that is continued. It falls when a
                           server begins anew. */
  int64_t total;      /**< The size that the record says. */
} remora_progress;

/**
 * Tells how far a download is. Called about a hundred times at most, and once with `received` equal to
 * `total` before the end of one that succeeds; never when nothing had to be downloaded.
 *
 * @param progress  Valid during the call.
 * @param user_data As registered.
 * Thread: for remora_attachment_open its caller's, while it waits; for
 * remora_attachment_open_async as remora_event_callback, and before the opening's callback.
 * No lock is held; it may call everything, also remora_client_close and remora_request_cancel.
 */
typedef void (*remora_progress_callback)(const remora_progress *progress, void *user_data);

/** Which attachment to open, and how. Strings are copied. */
typedef struct remora_attachment_options {
  size_t struct_size;              /**< Set by REMORA_INIT. */
  const char *record;              /**< The id of its record. Exactly one of record and location. */
  const char *location;            /**< Its location, as a record has it; records that filters hide count here. */
  const remora_snapshot *snapshot; /**< Where the record is looked for; default: the source's live snapshot. It
                                        may be released once the function has returned. */
  int64_t max_bytes;               /**< Larger ones are not opened; default 64 MiB, -1 = off. */
  remora_flags flags;                  /**< 0 or REMORA_ATTACHMENT_LOCAL. */
  int32_t reserved;                /**< Must be 0. */
  remora_progress_callback on_progress; /**< Called with the progress of the download; default none. */
  void *on_progress_user_data;
  void (*on_progress_free_user_data)(void *); /**< Called exactly once, also when opening fails. */
} remora_attachment_options;

/**
 * Opens the attachment of a record: from the storage directory, else from the packaged
 * attachments, else from the server, which is waited for.
 *
 * What is opened has the size and the SHA-256 that the record says, so that it is as
 * trustworthy as the record. A download is stored under its SHA-256 for the next opening, of any
 * record, client or process; one that breaks off is continued by the next opening that needs it.
 * Openings of one attachment at the same time share one download. The client's
 * total_timeout_ms does not hold for the download, the other limits do.
 *
 * @param source         Must not be NULL.
 * @param options        Initialised by REMORA_INIT; must not be NULL.
 * @param timeout_ms     The caller's own limit: 0 opens what is stored or packaged and answers
 *                       REMORA_ERR_TIMEOUT when a request would be needed, -1 leaves it to the
 *                       transport's limits.
 * @param out_attachment Receives the attachment; must not be NULL.
 * @param error          Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_NOT_FOUND (no such record or location, the record has no
 *         attachment, or REMORA_ATTACHMENT_LOCAL and it is neither stored nor packaged);
 *         REMORA_ERR_FORMAT (what the record says of its attachment cannot be right, or the server
 *         announces no attachments, or continues a download at another place than was asked for); REMORA_ERR_TOO_LARGE (max_bytes, or the server's root
 *         document); REMORA_ERR_ATTACHMENT_MISMATCH; REMORA_ERR_TIMEOUT; REMORA_ERR_CLOSED;
 *         REMORA_ERR_CANCELLED (a fork inside the progress callback, in the child);
 *         REMORA_ERR_BACKOFF; REMORA_ERR_PARSE (the server's root document);
 *         REMORA_ERR_STORAGE (a file cannot be read or written, such as on a full disk); with REMORA_ATTACHMENT_LOCAL
 *         REMORA_ERR_CORRUPT (the stored file is damaged) or REMORA_ERR_PERMISSION (it is not
 *         ours alone); REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_UNAVAILABLE (no thread, libcurl
 *         or libcrypto); REMORA_ERR_NETWORK, REMORA_ERR_TLS, REMORA_ERR_HTTP or REMORA_ERR_REDIRECT. What is
 *         downloaded is verified before anybody sees it, what is stored or packaged at its first opening in the life
 *         of a client.
 * Thread: any, also inside a callback. Ownership: the caller ends the attachment with remora_attachment_release.
 * Blocks: at most timeout_ms, and for file system calls and the progress callback. With 0 it waits while the engine
 * thread verifies a stored or packaged file that this client has not opened before: as long as reading the file takes.
 * With -1 it waits without a limit of its own for the client's other downloads, of which eight run at a time, and for
 * another client or process that downloads the same attachment. Since: 0.1
 */
remora_status remora_attachment_open(remora_source *source, const remora_attachment_options *options,
                                     int64_t timeout_ms, remora_attachment **out_attachment, remora_error *error);

/**
 * As remora_attachment_open, without waiting.
 *
 * Which record is meant is settled before it returns, and so are its errors
 * (REMORA_ERR_NOT_FOUND, REMORA_ERR_FORMAT, REMORA_ERR_TOO_LARGE); the others come by the callback.
 *
 * @param source         Must not be NULL.
 * @param options        Initialised by REMORA_INIT; must not be NULL.
 * @param callback       Told the end; NULL accepted: then the attachment is only made ready for a later opening.
 * @param user_data      Passed to the callback.
 * @param free_user_data Called exactly once, also when this function fails; NULL accepted.
 * @param out_request    Receives a handle for cancelling; NULL accepted.
 * @param error          Details on failure; NULL accepted.
 * @return REMORA_OK (the callback will come); REMORA_ERR_NOT_FOUND; REMORA_ERR_FORMAT;
 *         REMORA_ERR_TOO_LARGE; REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_CLOSED;
 *         REMORA_ERR_UNAVAILABLE (no thread, libcurl or libcrypto).
 * Thread: any, also inside a callback. Ownership: the request is given up with
 * remora_request_release. Blocks: no, but the first of a process loads libcurl and
 * libcrypto. Since: 0.1
 */
remora_status remora_attachment_open_async(remora_source *source, const remora_attachment_options *options,
                                           remora_result_callback callback, void *user_data,
                                           void (*free_user_data)(void *), remora_request **out_request,
                                           remora_error *error);

/**
 * Adds an owner.
 *
 * @param attachment NULL is accepted.
 * @return The attachment; the new owner ends it with remora_attachment_release.
 * Thread: any. Ownership: shared. Blocks: no. Since: 0.1
 */
remora_attachment *remora_attachment_retain(const remora_attachment *attachment);

/**
 * The bytes of an attachment. They never change.
 *
 * @param attachment NULL gives NULL.
 * @return The first of remora_attachment_size bytes, not NULL for an empty attachment either.
 * Thread: any. Ownership: lives as long as the attachment, also after remora_client_close. Blocks: no.
 * Since: 0.1
 */
const void *remora_attachment_data(const remora_attachment *attachment);

/**
 * The number of bytes.
 *
 * @param attachment NULL counts as empty.
 * @return The size that its record has; 0 for NULL.
 * Thread: any. Ownership: none. Blocks: no. Since: 0.1
 */
size_t remora_attachment_size(const remora_attachment *attachment);

/**
 * The file that holds the bytes, for what wants a file instead of memory. Only read it: it is
 * shared with all that open this attachment. It may be removed when no record names it any more.
 *
 * @param attachment NULL gives NULL.
 * @return Its path, as absolute as storage_dir or packaged_attachments; NULL when the bytes are in memory
 *         only.
 * Thread: any. Ownership: lives as long as the attachment. Blocks: no. Since: 0.1
 */
const char *remora_attachment_path(const remora_attachment *attachment);

/**
 * Ends one ownership; the last one lets the bytes go. The stored file stays for the next opening.
 *
 * @param attachment NULL is accepted and ignored.
 * Thread: any, also after remora_client_close. Ownership: consumes one. Blocks: no. Since: 0.1
 */
void remora_attachment_release(remora_attachment *attachment);

/* ----------------------------------------------------------- subscribe --- */

/** remora_subscribe: the first event is the current state, with cause OPENED. */
#define REMORA_SUBSCRIBE_REPLAY 1u

/**
 * Registers a callback for the events of a source, or for the changes of one key.
 *
 * A subscriber of a source is called after every refresh, with its outcome, and after every other change of what is live.
 * A subscriber of a key is called when the value of that key has changed. While a callback is busy, events that changed what is live merge into
 * one (first old snapshot, last new one) as long as cause and outcome are the same; others never do.
 *
 * Subscribing sends no request. While a tag of settings has a subscriber, of the source or of a key,
 * it is refreshed when it expires: see ttl_ms.
 *
 * @param source           Must not be NULL.
 * @param key              NULL: the whole source.
 * @param flags            0 or REMORA_SUBSCRIBE_REPLAY.
 * @param callback         Must not be NULL.
 * @param user_data        Passed to the callback.
 * @param free_user_data   Called exactly once, after the last call of the callback, also
 *                         when this function fails; NULL accepted.
 * @param out_subscription Receives the handle; NULL: the subscription lasts until the source handle is closed.
 * @param error            Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_CLOSED;
 *         REMORA_ERR_UNAVAILABLE (no thread).
 * Thread: any, also inside a callback. Ownership: the caller ends it with
 * remora_unsubscribe. Blocks: no; in a forked child see "Blocking" above. Since: 0.1
 */
remora_status remora_subscribe(remora_source *source, const char *key, remora_flags flags,
                               remora_event_callback callback, void *user_data, void (*free_user_data)(void *),
                               remora_subscription **out_subscription, remora_error *error);

/**
 * Ends a subscription. When it returns the callback is not running and will not run again,
 * except when called on a thread that is itself inside a callback of Remora's: then
 * it does not wait, and free_user_data tells the true end. (A client that is being closed
 * on another thread frees the user data there.)
 *
 * @param subscription NULL is accepted and ignored.
 * Thread: any, also inside a callback. Ownership: consumes the subscription.
 * Blocks: for this subscription's callback when it is running on another thread. Since: 0.1
 */
void remora_unsubscribe(remora_subscription *subscription);

/* ----------------------------------------------------------- overrides --- */

/** remora_override_set: set the value only if the live snapshot has the key. */
#define REMORA_OVERRIDE_IF_EXISTS 1u

/**
 * Sets a value that wins over every other until it is cleared: over what is live, and over what
 * is fetched, adopted or packaged later; a reset leaves it. A bundle that removes a namespace ends the
 * overrides of it.
 *
 * What is missing on the way to it is created: the key, and objects. It passes through objects only; null
 * counts as missing. It takes the place of the override at the same place and of those below it; one
 * above it stays, and is applied first. A later refresh may bring something else than an object on the
 * way: then the override stands in its place.
 *
 * When it returns the value is live. Subscribers are told by an event of cause REMORA_CAUSE_OVERRIDE
 * which keys changed, if one did. The override belongs to the source, whatever handle set it, and ends
 * with its last handle unless persist_overrides was asked for at open. docs/overrides.md has
 * all of it.
 *
 * With REMORA_OVERRIDE_IF_EXISTS a key that the live snapshot does not have is not created, and a namespace that a bundle
 * has removed does not come back: use it at start-up for values that belong to a key of the server's, such as a user id.
 * The key exists whatever its origin is: fetched, cached, packaged, a default or an override. A record that its filter
 * hides does not exist. No other change becomes live between the check and the override.
 *
 * @param source  Must not be NULL.
 * @param key     The key, 1 to 65,535 bytes; must not be NULL.
 * @param pointer JSON Pointer to the place in the value, at most 65,535 bytes; NULL: the whole value.
 * @param json    The value as JSON text of at most 1 MiB; "null" is a null that wins as well. Together
 *                with the pointer's names nested at most 64 deep. Must not be NULL; it is copied.
 * @param flags   0 or REMORA_OVERRIDE_IF_EXISTS.
 * @param error   Details on failure; NULL accepted.
 * @return REMORA_OK, also when persist_overrides was asked for and the storage failed: see
 *         storage_error in remora_source_info. Else nothing was changed: REMORA_ERR_INVALID_ARGUMENT;
 *         REMORA_ERR_NOT_FOUND (with REMORA_OVERRIDE_IF_EXISTS; an override that exists there stays);
 *         REMORA_ERR_WRONG_TYPE (something on the way is no object; the message has its place);
 *         REMORA_ERR_TOO_LARGE (more than 10,000 overrides, or more data than an image of 2 GiB can hold);
 *         REMORA_ERR_CORRUPT (the file of the live image was changed after it was opened); REMORA_ERR_CLOSED.
 * Thread: any, also inside a callback. Ownership: none. Blocks: for the job of the engine thread that is running; with
 * persist_overrides for file system calls, and at most 5 s for another client or process that stores its overrides of
 * the source. Since: 0.1
 */
remora_status remora_override_set(remora_source *source, const char *key, const char *pointer, const char *json,
                                  remora_flags flags, remora_error *error);

/**
 * Clears the override at a place and those below it. What they stood over is live again.
 *
 * @param source  Must not be NULL.
 * @param key     Must not be NULL.
 * @param pointer JSON Pointer to the place in the value; NULL: all overrides of the key.
 * @param error   Details on failure; NULL accepted.
 * @return REMORA_OK, also when the storage failed, as remora_override_set; REMORA_ERR_NOT_FOUND (no override
 *         exists there; not returned while stored overrides cannot be read); REMORA_ERR_INVALID_ARGUMENT;
 *         REMORA_ERR_CLOSED; REMORA_ERR_CORRUPT or REMORA_ERR_TOO_LARGE as remora_override_set.
 * Thread: any, also inside a callback. Ownership: none. Blocks: as remora_override_set. Since: 0.1
 */
remora_status remora_override_clear(remora_source *source, const char *key, const char *pointer,
                                    remora_error *error);

/**
 * Clears all overrides of a source.
 *
 * @param source Must not be NULL.
 * @param error  Details on failure; NULL accepted.
 * @return REMORA_OK, also when no override existed, and when the storage failed, as remora_override_set;
 *         REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_CLOSED; REMORA_ERR_CORRUPT or REMORA_ERR_TOO_LARGE as
 *         remora_override_set.
 * Thread: any, also inside a callback. Ownership: none. Blocks: as remora_override_set. Since: 0.1
 */
remora_status remora_override_clear_all(remora_source *source, remora_error *error);

/** One override. All of it is valid during the callback only; lengths are bytes without the NUL. */
typedef struct remora_override {
  size_t struct_size; /**< Bytes that this library filled. */
  const char *key; /**< UTF-8, NUL-terminated. */
  size_t key_length;
  const char *pointer; /**< JSON Pointer, NUL-terminated; "" is the whole value. */
  size_t pointer_length;
  const char *json; /**< Canonical JSON text, NUL-terminated. */
  size_t json_length;
} remora_override;

/**
 * Receives one override. May call every function of this header.
 *
 * @param entry     Valid during the call.
 * @param user_data As given.
 * @return 0 to go on; anything else ends the walk.
 * Thread: the caller of remora_override_foreach.
 */
typedef int32_t (*remora_override_visitor)(const remora_override *entry, void *user_data);

/**
 * Walks the overrides of a source as they were at the call, in the order of the bytes of key and pointer.
 *
 * @param source    Must not be NULL.
 * @param visitor   Called before this function returns; must not be NULL.
 * @param user_data Passed to the callback; stays the caller's.
 * @param error     Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_CLOSED.
 * Thread: any, also inside a callback. Ownership: none. Blocks: no. Since: 0.1
 */
remora_status remora_override_foreach(remora_source *source, remora_override_visitor visitor, void *user_data,
                                      remora_error *error);

/* ------------------------------------------------------------- seeding --- */

/** Whose seed: what an installer downloads and saves before the host runs. Exactly one of settings, bundle and
    collection is given, filled as the host fills it to open the source: what makes up its identity must be the same.
    Callbacks in it and in the remora_config are not called, but for on_log in remora_seed_save; their user data
    is not freed. */
typedef struct remora_seed_options {
  size_t struct_size;                          /**< Set by REMORA_INIT. */
  const remora_settings_options *settings;     /**< Not memory_only. */
  const remora_bundle_options *bundle;         /**< With a url. */
  const remora_collection_options *collection; /**< Its seed is packaged data: what `remora dump` writes. */
  const char *identifier;                      /**< Tells the server what asks; default "seed". */
  int64_t fetched_at_ms;                       /**< When the file was downloaded, in ms since 1970; default: when it
                                                    was last modified. What is later than now counts as now. */
} remora_seed_options;

/* The parts of the request for a seed. */
typedef int32_t remora_seed_part;
#define REMORA_SEED_URL 1     /**< The URL to download. */
#define REMORA_SEED_METHOD 2  /**< "GET" or "POST"; a POST has an empty body. */
#define REMORA_SEED_HEADERS 3 /**< What to send: lines "Name: value", each ended by "\n". */

/**
 * Tells an installer what to download: a part of the request, as text, by the rules of snprintf. Sends nothing.
 *
 * The headers are those of config and, unless it has a User-Agent, the user agent, which has application name, version
 * and build number. The URL of settings has the same as the query items "identifier", "app", "version" and "build",
 * percent-encoded, where neither url nor request_params has an item of that name; what config leaves out is left out.
 * They do not make other settings of it.
 *
 * @param config     As for remora_setup; storage_dir is not looked at; must not be NULL.
 * @param options    Initialised by REMORA_INIT; must not be NULL.
 * @param part       REMORA_SEED_URL, REMORA_SEED_METHOD or REMORA_SEED_HEADERS.
 * @param buffer     Receives at most size bytes, ended by a NUL; may be NULL when size is 0.
 * @param size       Bytes of buffer.
 * @param out_length Receives the length of the whole text; must not be NULL.
 * @param error      Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT (also for a collection, and for a bundle without url).
 * Thread: any. Ownership: the text is the caller's. Blocks: no. Since: 0.1
 */
remora_status remora_seed_request(const remora_config *config, const remora_seed_options *options, remora_seed_part part,
                                  char *buffer, size_t size, size_t *out_length, remora_error *error);

/**
 * Checks what an installer downloaded, and puts it where the next opening of the source finds it.
 *
 * The file is decoded as strictly as an answer of the server; a collection's must also verify by the
 * signature and chain in it, unless trust is off. It is then stored whole or not at all, and takes the place of
 * an older seed that nobody has opened yet. On failure that one stays. The file itself is only read. What is ignored in
 * it is told to on_log, as a warning, on the calling thread.
 *
 * The next opening that finds nothing newer makes it live, of origin REMORA_ORIGIN_CACHED, and removes it; where there
 * is a cache, it becomes live as the source's activation says. Newer is: of a bundle the version, which must
 * also be higher than the default's, of a collection the timestamp, of settings the time of the fetch. Sources that are
 * open are not disturbed. docs/seeding.md has all of it.
 *
 * Root may save into another user's directory: the files are then that user's.
 *
 * @param config  As for remora_setup: storage_dir and max_body_bytes count, server and bucket for a collection; must
 *                not be NULL.
 * @param options Initialised by REMORA_INIT; must not be NULL.
 * @param file    Path of what was downloaded; must not be NULL.
 * @param error   Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT; REMORA_ERR_STORAGE (a file cannot be read or written, or another
 *         thread or process saves or removes a seed of the same source for 5 s); REMORA_ERR_PERMISSION (a file or the
 *         directory is not ours alone);
 *         REMORA_ERR_TOO_LARGE, REMORA_ERR_PARSE or REMORA_ERR_FORMAT (the file); of a collection REMORA_ERR_FUTURE
 *         and, if trust is required, REMORA_ERR_SIGNATURE_MISSING to REMORA_ERR_ROOT_MISMATCH,
 *         REMORA_ERR_UNAVAILABLE (no libcurl or libcrypto) and REMORA_ERR_CLOSED (the process exits).
 * Thread: any, also inside a callback. Ownership: none; file stays the caller's. Blocks: for file system calls,
 * and at most 5 s for another thread or process that saves or removes a seed of the same source. To verify the seed of
 * a collection it also waits for the job of the engine thread that is running, and the first one of a process loads
 * libcurl and libcrypto. Since: 0.1
 */
remora_status remora_seed_save(const remora_config *config, const remora_seed_options *options, const char *file,
                               remora_error *error);

/* ----------------------------------------------------------- host loop --- */

/**
 * The descriptor that becomes readable when callbacks wait for remora_dispatch.
 *
 * For select, poll and epoll, level- or edge-triggered. Only wait for it: never read, write
 * or close it. It may be readable with nothing to do. Take it out of the loop before
 * remora_client_close. After fork() the child asks again: the parent's number means nothing there.
 *
 * @param client Set up with REMORA_CALLBACKS_ON_DISPATCH; must not be NULL.
 * @param out_fd Receives the descriptor, the same at every call; must not be NULL.
 * @param error  Details on failure; NULL accepted.
 * @return REMORA_OK; REMORA_ERR_INVALID_ARGUMENT (also for a client whose callbacks run on
 *         a thread); REMORA_ERR_UNAVAILABLE (no descriptor, or no thread); REMORA_ERR_CLOSED.
 * Thread: any. Ownership: the client's. Blocks: no. Since: 0.1
 */
remora_status remora_client_get_fd(remora_client *client, int32_t *out_fd, remora_error *error);

/**
 * Runs the callbacks that wait: those queued before the call. What they cause is for the next call,
 * so that a callback that asks for another does not hold the loop.
 *
 * A callback may close the client: then no further one runs, and the client must not be used again.
 *
 * @param client    Set up with REMORA_CALLBACKS_ON_DISPATCH; must not be NULL.
 * @param out_count Receives how many callbacks were run; NULL accepted.
 * @param error     Details on failure; NULL accepted.
 * @return REMORA_OK, also when there was nothing to do; REMORA_ERR_BUSY (another thread, or
 *         the calling callback, is inside this function with the same client);
 *         REMORA_ERR_INVALID_ARGUMENT (also for a client whose callbacks run on a thread);
 *         REMORA_ERR_CLOSED.
 * Thread: any, one at a time per client. Ownership: none. Blocks: for the callbacks only. Since: 0.1
 */
remora_status remora_dispatch(remora_client *client, size_t *out_count, remora_error *error);

#ifdef __cplusplus
}
#endif

#endif /* REMORA_H */
