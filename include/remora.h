/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file remora.h Remora: a C library that fetches, verifies and caches configuration from a server, so that a program
 * reads it from memory.
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
 * Words. Reads return the *live* version of a source. A *staged* version is stored, and becomes live later. *Packaged*
 * data is shipped with the program. A *seed* is saved by an installer before the program runs. An *image* is the file
 * that stores one version of a source; a *ledger* is a file that stores times, ETags and backoffs. A *monitor* is a
 * Remote Settings server's list of collections with their timestamps. docs/glossary.md defines all words.
 *
 * Conventions. They hold for every function unless its comment states otherwise:
 * - The function may be called from any thread, also inside callbacks. A callback or visitor may call every function.
 * - Thread, Ownership and Blocking are stated by the comment of each function, or once by the comment of its group for
 *   the whole group: getters, getters of bound keys, typed reads of snapshots, functions of values.
 * - A parameter must not be NULL; NULL is REMORA_ERR_INVALID_ARGUMENT and never a crash. `options` may be NULL: the
 *   defaults. Functions that close, release, cancel or unsubscribe do nothing for NULL; retaining NULL returns NULL.
 * - Comments omit parameters that are alike everywhere: the object, `user_data`, `error`, and outputs that receive what
 *   the summary names. `error` receives details of a failure, is cleared on success, and may be NULL.
 * - A status function without @return in its comment returns REMORA_OK or an error that every function can return.
 * - The function is available since 0.1.
 * - Outputs are written only if the function returns REMORA_OK.
 * - Strings, arrays and data that are passed in are copied. Strings are NUL-terminated UTF-8. Strings that are returned
 *   have a length in bytes, which does not include the NUL. A JSON string may contain U+0000.
 * - Functions that write text follow snprintf: `buffer` receives at most `size` bytes, is NUL-terminated, and may be
 *   NULL if size is 0. `out_length`, or the result of a getter, is the length of the whole text in bytes, without the
 *   NUL. If it is not less than size, the text was truncated, between characters.
 * - `visitor` is called on the calling thread before the function returns, with a structure that is valid during the
 *   call. It returns 0 to continue. Any other number stops the iteration, and the function returns REMORA_OK.
 * - Structures that a callback receives are valid during the call.
 * - `pointer` is a JSON Pointer (RFC 6901) into the value of a key: "/a/0" is element 0 of member "a". NULL and "" are
 *   the whole value.
 * - Durations are in milliseconds. In a field of options, 0 selects the default, and -1 switches the limit or interval
 *   off. As a timeout argument, 0 returns without waiting, and -1 adds no limit of its own. Any other negative number
 *   is an invalid argument.
 * - Points in time (…_at_ms, timestamps) are in milliseconds since 1970; 0 is "never".
 * - `user_data` is passed to the callback. A callback that can be called after the function has returned also has
 *   `free_user_data`, which may be NULL. It is called exactly once with `user_data`: after the last call of the
 *   callback, or when the function fails. Where the callback is a field, the same holds unless the structure is NULL or
 *   its struct_size is invalid. Exceptions are the functions that use a configuration without a client:
 *   remora_preconnect and remora_seed_request neither call nor free its callbacks, and remora_seed_save calls on_log
 *   and frees nothing.
 *
 * Structures that begin with `struct_size` can grow at the end. REMORA_INIT clears such a structure and sets its size;
 * a field that is 0 or NULL has its default. A program that was compiled with an older or newer header than the library
 * still works: the library reads fields that an older program does not have as 0, and writes only the fields that the
 * program has room for. A larger structure of a newer program is accepted as long as the fields that the library does
 * not know are 0. In structures that the library passes to callbacks, struct_size is set by the library.
 *
 * Blocking. The thread "remora-engine" does the background work of a process; a piece of it is a job. The running job
 * is the one that runs at the time of the call. "Blocking: no" means that the function does not wait for requests,
 * files, callbacks, other processes or jobs. It can hold a lock of the library for a moment. After fork() there is one
 * exception: in the child, the first read of a source with a storage directory picks up what other processes have
 * stored since the fork. It waits at most 50 ms for the running job of the child, and reads the files of the source. If
 * the job takes longer, the read returns the live data, and the next read tries again. Reads in this sense are
 * remora_get_…, remora_key_…, remora_snapshot_acquire, remora_source_get_info, remora_source_foreach,
 * remora_namespace_foreach, remora_subscribe, remora_await, remora_attachment_open, the asynchronous forms of the last
 * two, and remora_override_set.
 *
 * "Loads libraries" means that the first such call of a process loads libcurl and libcrypto, which takes a few
 * milliseconds.
 *
 * Processes. After fork() a child can read at once, and use all other functions. The child creates its own threads and
 * connections when it needs them; remora_client_get_fd must be called again. Requests, waits and completions of the
 * parent stay with the parent. An update that was not yet delivered to a subscriber is delivered in both processes. If
 * a child was forked inside a callback on a thread of Remora, this thread ends when the callback returns: call exec or
 * exit before.
 *
 * While the process exits, functions that would wait or start a thread return REMORA_ERR_CLOSED. free_user_data is not
 * called for calls and callbacks that the exit interrupts.
 *
 * Caveats:
 * - Do not use a handle after it was closed or released, as with free().
 * - Strings and values that are read from a snapshot are valid until the snapshot is released.
 * - The storage directory must be on a local file system. If another program of the same user truncates a mapped file,
 *   this process can receive SIGBUS, as with any memory-mapped database.
 * - A refresh needs up to 256 MiB of memory, and 32 bytes for each byte of the body; max_body_bytes of remora_config
 *   limits the body. Most calls return REMORA_ERR_UNAVAILABLE when memory runs out, but the Swift runtime aborts the
 *   process if an allocation of its own fails. Lower the limit where memory is scarce.
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
    string is constant, and never NULL. Thread: any. Ownership: the library's. Blocking: no. */
const char *remora_version(void);

/** Clears a structure that begins with `struct_size`, and sets the size. In C and C++ use the macro REMORA_INIT.
    @param structure   The structure. NULL is ignored.
    @param struct_size Its size in bytes, as the host was compiled. A size below that of a size_t is ignored.
    Thread: any. Ownership: none. Blocking: no. */
void remora_init(void *structure, size_t struct_size);

/** Initialises a structure by its address: REMORA_INIT(&config). */
#define REMORA_INIT(structure) remora_init((structure), sizeof *(structure))

/* --------------------------------------------------------------- types --- */

typedef int32_t remora_bool;   /**< 0 or 1; any other number is an invalid argument. */
typedef uint32_t remora_flags; /**< Bits that the function names; an unknown bit is an invalid argument. */

/* -------------------------------------------------------------- errors --- */

/**
 * The result of a call: REMORA_OK, or a negative code.
 *
 * The hundreds of a code are its family: codes from -1 to -99 are of family 0, from -100 to -199 of family 1, and so
 * on. Comments of functions name the families ("network errors"), and a single code only if it needs a sentence. A
 * program compares the code or its family; messages are for people. Later versions can add codes and families: accept
 * unknown ones. docs/errors.md has advice for each code.
 *
 * Comments do not repeat REMORA_ERR_INVALID_ARGUMENT, REMORA_ERR_CLOSED, REMORA_ERR_UNAVAILABLE and
 * REMORA_ERR_INTERNAL, because nearly every function can return them. Functions of snapshots, values and attachments do
 * not return REMORA_ERR_CLOSED. REMORA_ERR_UNAVAILABLE is returned if memory has run out; by functions that start a
 * thread or a request, also if no thread, descriptor, libcurl or libcrypto is available.
 * @code
 * if (remora_status_family(error.status) == REMORA_FAMILY_NETWORK) refresh_in(error.retry_after_ms);
 * @endcode
 */
typedef int32_t remora_status;

typedef int32_t remora_family; /**< REMORA_FAMILY_…, or a family of a later version. */

#define REMORA_OK 0

#define REMORA_FAMILY_CALL 0             /**< The call is wrong, its object was closed, or its limit expired; see each
                                              code. */
#define REMORA_ERR_INVALID_ARGUMENT (-1) /**< An argument is NULL, malformed or out of range; nothing happened. */
#define REMORA_ERR_NOT_FOUND (-2)        /**< The key, member or element does not exist, or is null. */
#define REMORA_ERR_WRONG_TYPE (-3)       /**< The value has another type, or cannot be converted exactly. */
#define REMORA_ERR_TIMEOUT (-4)          /**< The time limit of the caller has expired. */
#define REMORA_ERR_CANCELLED (-5)        /**< Cancelled by remora_request_cancel or by a reset. */
#define REMORA_ERR_CLOSED (-6)           /**< The client or source is closed, or the process is exiting. */
#define REMORA_ERR_BUSY (-7)             /**< Another call of remora_dispatch is running for this client. */

#define REMORA_FAMILY_NETWORK 1    /**< "Network errors": no usable answer arrived. Retry later; see retry_after_ms. */
#define REMORA_ERR_NETWORK (-100)  /**< The connection failed or was lost, or a limit of the transport expired. */
#define REMORA_ERR_TLS (-101)      /**< The TLS handshake failed, or the server's certificate is not trusted. */
#define REMORA_ERR_HTTP (-102)     /**< The server returned an error; see http_status. */
#define REMORA_ERR_REDIRECT (-103) /**< Too many redirects, or a redirect to a place that is not allowed. */
#define REMORA_ERR_BACKOFF (-104)  /**< The server has asked for a pause, see retry_after_ms; no request was sent. */

#define REMORA_FAMILY_DOCUMENT 2    /**< "Document errors": the document is unusable. The last good data stays live. */
#define REMORA_ERR_PARSE (-200)     /**< Not JSON, or beyond the limits of docs/errors.md, such as a depth of 64. */
#define REMORA_ERR_FORMAT (-201)    /**< JSON, but not of the form that the protocol prescribes. */
#define REMORA_ERR_TOO_LARGE (-202) /**< A body, header or document exceeds its limit. */

#define REMORA_FAMILY_TRUST 3                 /**< "Trust errors": a check of a signature, chain or hash has failed. The
                                                   last good data stays live. */
#define REMORA_ERR_SIGNATURE_MISSING (-300)   /**< The answer has no signature of the supported mode (p384ecdsa). */
#define REMORA_ERR_SIGNATURE_MALFORMED (-301) /**< The signature is not base64url, or not 96 bytes long. */
#define REMORA_ERR_SIGNATURE_MISMATCH (-302)  /**< Records or timestamp differ from what was signed. */
#define REMORA_ERR_CHAIN_MALFORMED (-303)     /**< The chain is not PEM certificates, or is too long. */
#define REMORA_ERR_CHAIN_INVALID (-304)       /**< A link, usage or name constraint of the chain is invalid. */
#define REMORA_ERR_CHAIN_LOCATION (-305)      /**< The URL of the chain (x5u) is on a host that is not trusted. */
#define REMORA_ERR_CERTIFICATE_EXPIRED (-306) /**< A certificate has expired or is not yet valid. */
#define REMORA_ERR_CERTIFICATE_SUBJECT (-307) /**< The leaf certificate is not for the expected signer. */
#define REMORA_ERR_ROOT_MISMATCH (-308)       /**< The root is not the pinned one. */
#define REMORA_ERR_ATTACHMENT_MISMATCH (-309) /**< Size or SHA-256 of an attachment differ from its record. */

#define REMORA_FAMILY_FRESHNESS 4      /**< "Freshness errors": the document is genuine, but its timestamp is not
                                            acceptable. The last good data stays live. */
#define REMORA_ERR_FUTURE (-400)       /**< The timestamp is further in the future than max_future_ms allows. */
#define REMORA_ERR_EQUIVOCATION (-401) /**< Other content was accepted under the same timestamp before. */

#define REMORA_FAMILY_STORAGE 5      /**< "Storage errors": the storage directory is unusable, or a file is damaged. */
#define REMORA_ERR_STORAGE (-500)    /**< A system call failed, or another client or process held a file too long. */
#define REMORA_ERR_PERMISSION (-501) /**< A file or directory belongs to another user, or others can write it. */
#define REMORA_ERR_CORRUPT (-502)    /**< An image, or the stored file of an attachment, is damaged. */

#define REMORA_FAMILY_SYSTEM 6        /**< "System errors": the system lacks something, or Remora has a defect. */
#define REMORA_ERR_UNAVAILABLE (-600) /**< No libcurl or libcrypto, or no thread, descriptor or memory. */
#define REMORA_ERR_INTERNAL (-601)    /**< A defect of the library. Please report it. */

/** Details of a failure, in memory of the caller: 512 bytes. All zero is "no failure". */
typedef struct remora_error {
  remora_status status;   /**< The status that the function returned. */
  int32_t http_status;    /**< The HTTP status; 0 if there was no answer. */
  int64_t retry_after_ms; /**< Time until a retry makes sense; 0 if unknown. */
  char source_name[112];  /**< The name of the source, as in remora_source_info; "" if the failure concerns no single
                               source. NUL-terminated; a longer name is truncated. */
  char message[384];      /**< One sentence for people. NUL-terminated; a longer sentence is truncated. */
} remora_error;

/** Returns the name of a status, such as "REMORA_ERR_NOT_FOUND"; "REMORA_ERR_UNKNOWN" for an unknown number. The string
    is constant, and never NULL. Thread: any. Ownership: the library's. Blocking: no. */
const char *remora_status_name(remora_status status);

/** Returns the family of a status, also of one that this version of the library does not know. It is REMORA_FAMILY_CALL
    for REMORA_OK and for positive numbers, which no function returns. Thread: any. Ownership: none. Blocking: no. */
remora_family remora_status_family(remora_status status);

/* ------------------------------------------------------------- handles --- */

/* The function that ends a handle is in parentheses. */
typedef struct remora_client remora_client;             /**< Owns storage, network and sources (remora_client_close). */
typedef struct remora_source remora_source;             /**< Settings that are fetched as one (remora_source_close). */
typedef struct remora_snapshot remora_snapshot;         /**< An immutable version (remora_snapshot_release). */
typedef struct remora_key remora_key;                   /**< A value that is read often (remora_key_release). */
typedef struct remora_subscription remora_subscription; /**< A registered callback (remora_unsubscribe). */
typedef struct remora_attachment remora_attachment;     /**< Verified bytes (remora_attachment_release). */
typedef struct remora_request remora_request;           /**< An asynchronous call (remora_request_release). */

/* ------------------------------------------------------- enumerations --- */

/* The kinds of sources. */
typedef int32_t remora_source_kind;
#define REMORA_KIND_COLLECTION 1
#define REMORA_KIND_BUNDLE 2
#define REMORA_KIND_SETTINGS 3

/* The origin of a value or a snapshot. */
typedef int32_t remora_origin;
#define REMORA_ORIGIN_NONE 0     /**< There is no data: nothing was fetched or packaged. */
#define REMORA_ORIGIN_DEFAULT 1  /**< The default bundle of the host. */
#define REMORA_ORIGIN_PACKAGED 2 /**< Packaged data of the host. */
#define REMORA_ORIGIN_CACHED 3   /**< Read from storage: fetched by an earlier client or process, or a seed. */
#define REMORA_ORIGIN_FETCHED 4  /**< Fetched or confirmed by any process since this client was set up. */
#define REMORA_ORIGIN_OVERRIDE 5 /**< Of a key only: the value, or a part of it, is an override. */

/* The outcome of a refresh. The status is REMORA_OK for UPDATED, UNCHANGED, NOT_NEWER and STAGED. */
typedef int32_t remora_outcome;
#define REMORA_OUTCOME_NONE 0
#define REMORA_OUTCOME_UPDATED 1   /**< A newer version is live. */
#define REMORA_OUTCOME_UNCHANGED 2 /**< The server has nothing newer. */
#define REMORA_OUTCOME_NOT_NEWER 3 /**< The server offered something older, or a bundle without a higher version. It was
                                        not used. */
#define REMORA_OUTCOME_STAGED 4    /**< A newer version is stored, and waits for its activation. */
#define REMORA_OUTCOME_REFUSED 5   /**< An answer arrived, and failed a check. */
#define REMORA_OUTCOME_FAILED 6    /**< No usable answer arrived. */

/* The reason for an event. */
typedef int32_t remora_cause;
#define REMORA_CAUSE_OPENED 1    /**< First event of a subscriber: the state at open, or at subscription (replay). */
#define REMORA_CAUSE_REFRESHED 2 /**< A refresh of this client has completed, also if another client or process sent the
                                      request. */
#define REMORA_CAUSE_ADOPTED 3   /**< Data that another client or process fetched was picked up, and no refresh of this
                                      client waited for it. */
#define REMORA_CAUSE_RESET 4     /**< remora_reset has deleted the fetched data. */
#define REMORA_CAUSE_CONTEXT 5   /**< remora_set_context has changed which records the filters hide. */
#define REMORA_CAUSE_OVERRIDE 6  /**< An override was set or cleared. */
#define REMORA_CAUSE_ACTIVATED 7 /**< A staged version has become live, by remora_activate. */

/** Returns the name of an origin, outcome or cause, such as "fetched", "updated" or "refreshed"; "unknown" for an
    unknown number. The string is constant, and never NULL. Thread: any. Ownership: the library's. Blocking: no. */
const char *remora_origin_name(remora_origin origin);
const char *remora_outcome_name(remora_outcome outcome);
const char *remora_cause_name(remora_cause cause);

/* ----------------------------------------------------------- lifecycle --- */

/* Log levels. A callback with level L receives lines of level L and below. */
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
  const char *source_name; /**< As in remora_source_info; NULL if the line concerns no single source. */
  const char *message;     /**< One line without control characters. It begins with kind and name of the source, such as
                                "collection main/regions: …". */
} remora_log_entry;

/** Receives log lines. While 1,000 calls are queued, further lines are dropped.
    Thread: that of the client's callbacks; see remora_event_callback. */
typedef void (*remora_log_callback)(const remora_log_entry *entry, void *user_data);

/** A completed attempt to refresh a source, valid during the callback. */
typedef struct remora_attempt {
  size_t struct_size;        /**< Size in bytes, set by the library. */
  const char *source_name;   /**< As in remora_source_info; "monitor/changes" for a sync's request to the monitor. */
  const char *server;        /**< As in remora_source_info. */
  remora_source_kind kind;   /**< REMORA_KIND_…; COLLECTION for a monitor. */
  remora_outcome outcome;    /**< REMORA_OUTCOME_…; UPDATED if a monitor has answered. */
  remora_status status;      /**< REMORA_OK for UPDATED, UNCHANGED, NOT_NEWER and STAGED. */
  int32_t http_status;       /**< Of the answer to the last request; 0 if there was none. */
  int64_t duration_ms;       /**< Duration of the attempt; 0 if the monitor made a request unnecessary. */
  int64_t bytes;             /**< Size of all bodies, decoded. */
  const remora_error *error; /**< Details; NULL if status is REMORA_OK. */
} remora_attempt;

/** Receives the outcome and cost of each refresh attempt, for telemetry. Attempts that a backoff prevents are reported
    too, and sources that the monitor of a sync reports as unchanged. Cancelled attempts are not reported, nor refreshes
    that another process performed. While 1,000 calls are queued, further attempts are dropped.
    Thread: that of the client's callbacks, after the events of the refresh and before its completion. */
typedef void (*remora_attempt_callback)(const remora_attempt *attempt, void *user_data);

/* Where callbacks run. */
typedef int32_t remora_callback_mode;
#define REMORA_CALLBACKS_ON_THREAD 0   /**< On a thread of the client, "remora-events". The default. */
#define REMORA_CALLBACKS_ON_DISPATCH 1 /**< Inside remora_dispatch, on the thread that calls it. Log lines that are
                                            queued at remora_client_close are delivered inside that call. */

#define REMORA_SERVER_PROD "prod"   /**< Mozilla's production server. */
#define REMORA_SERVER_STAGE "stage" /**< Mozilla's staging server. */
#define REMORA_SERVER_DEV "dev"     /**< Mozilla's development server. */

/** A storage_dir that keeps everything in memory: nothing is stored, and nothing is shared with other processes. */
#define REMORA_STORAGE_MEMORY ":memory:"

/** The configuration of a client. */
typedef struct remora_config {
  size_t struct_size;               /**< Set by REMORA_INIT. */
  const char *storage_dir;          /**< Directory for the cache (images) and its bookkeeping (ledgers), or
                                         REMORA_STORAGE_MEMORY. Required. Created with its parents (mode 0700 less the
                                         umask) if it does not exist. */
  const char *application_name;     /**< Sent in the default user agent; default "unknown". */
  const char *application_version;  /**< Sent in the default user agent; default "0". */
  const char *application_build;    /**< Sent in the default user agent; default: omitted. */
  const char *server;               /**< Server of collections: REMORA_SERVER_PROD, _STAGE or _DEV, or an http or https
                                         URL without query; default REMORA_SERVER_PROD. A URL that ends in /v1 or /v2 is
                                         used unchanged; to any other, /v2 is appended. */
  const char *bucket;               /**< Bucket of collections; default "main". */
  const char *proxy;                /**< Proxy URL in the form of libcurl; default none. Environment variables are not
                                         read. */
  const char *ca_file;              /**< PEM file of TLS roots; default: libcurl's. */
  const char *const *headers;       /**< NULL-terminated array of "Name: value", sent with every request to the source's
                                         own server, but not to other hosts, such as those of attachments; default
                                         none. */
  const char *user_agent;           /**< Replaces the default user agent. */
  int64_t connect_timeout_ms;       /**< Default 10,000. */
  int64_t stall_timeout_ms;         /**< Ends a transfer below 100 bytes/s for this time; default 30,000. */
  int64_t total_timeout_ms;         /**< Limit of a whole request; default 120,000. */
  int64_t max_body_bytes;           /**< Limit of a decoded body; default 16 MiB, at most 256 MiB. */
  remora_log_level log_level;       /**< Default REMORA_LOG_WARNING. */
  remora_callback_mode callbacks;   /**< REMORA_CALLBACKS_ON_THREAD or REMORA_CALLBACKS_ON_DISPATCH. */
  remora_log_callback on_log;       /**< Called with log lines; default none. The library itself never prints. */
  void *on_log_user_data;
  void (*on_log_free_user_data)(void *);
  remora_attempt_callback on_attempt; /**< Called with the outcome and cost of each refresh attempt; default none. */
  void *on_attempt_user_data;
  void (*on_attempt_free_user_data)(void *);
} remora_config;

/** Creates a client. A client owns a storage directory, its network settings and its sources. Most programs create one
    at start. This function sends no request and starts no thread. If the storage directory cannot be written, the
    client works in memory. The storage error is then reported by the log, by events and by remora_source_get_info.
    @return REMORA_OK; storage errors if storage_dir is not a directory, belongs to another user, or can be written by
            others.
    Thread: any. Ownership: the caller closes the client with remora_client_close. Blocking: for file system calls. */
remora_status remora_setup(const remora_config *config, remora_client **out_client, remora_error *error);

/**
 * Closes a client. Requests are aborted within 200 ms, waiting calls return REMORA_ERR_CLOSED, no callback starts
 * afterwards, and free_user_data is called for every user data.
 *
 * Log lines that are queued are delivered before the function returns: on the thread "remora-events", or on the calling
 * thread with REMORA_CALLBACKS_ON_DISPATCH. Queued events, attempts and completions are dropped. Inside a callback of
 * any client, queued log lines are dropped too, the function returns at once, and the close completes when that
 * callback returns.
 *
 * Handles of the client stay valid until they are closed or released. Its sources return REMORA_ERR_CLOSED, and getters
 * their default. Snapshots and attachments remain readable.
 * Thread: any. Ownership: consumes the client. Blocking: up to 200 ms, for a callback of this client on another thread,
 * and for the callbacks of queued log lines.
 */
void remora_client_close(remora_client *client);

/** Opens a connection before it is needed. One GET request is sent in the background, and the connection is kept for
    the next request of any client to the same scheme, host and port. Use it at the start of a program, also before
    remora_setup. Any HTTP status (204 is usual) and any body of at most 64 KiB is accepted. The log has the result: a
    warning after a failure. docs/refreshing.md has the details.
    @code
    remora_preconnect(&config, "https://settings.example/app", NULL, NULL);
    @endcode
    @param config   The configuration, of which application_name (required here), proxy, ca_file, user_agent,
                    connect_timeout_ms and total_timeout_ms (default 30,000) count. Only clients with the same proxy and
                    ca_file use the connection. Its callbacks are not called, and their user data is not freed.
    @param url      http or https, without a fragment. The query items "app" (application_name) and "platform" are
                    added.
    @param platform The platform; NULL: "linux".
    @return REMORA_OK if the request was started.
    Thread: any. Ownership: none. Blocking: no, but loads libraries. */
remora_status remora_preconnect(const remora_config *config, const char *url, const char *platform,
                                remora_error *error);

/* -------------------------------------------------------------- events --- */

/* The change of a key. */
typedef int32_t remora_change_kind;
#define REMORA_CHANGE_CREATED 1
#define REMORA_CHANGE_UPDATED 2
#define REMORA_CHANGE_DELETED 3

/** A value inside a snapshot: two words, passed by value, and valid as long as the snapshot. The members are private.
    {NULL, NULL} is the empty value, whose type is REMORA_TYPE_NONE. */
typedef struct remora_value {
  const void *node;
  const void *region;
} remora_value;

/** A changed key, valid during the callback. */
typedef struct remora_change {
  remora_change_kind kind; /**< REMORA_CHANGE_CREATED, _UPDATED or _DELETED. */
  remora_origin origin;    /**< REMORA_ORIGIN_… of the new value, as in remora_snapshot_get_origin; NONE if deleted. */
  const char *key;         /**< NUL-terminated. */
  size_t key_length;       /**< In bytes, without the NUL. */
  remora_value old_value;  /**< Empty if created. */
  remora_value new_value;  /**< Empty if deleted. */
} remora_change;

/** An A/B experiment of settings; see remora_experiment_find. Valid as long as its snapshot. Lengths are in bytes. */
typedef struct remora_experiment {
  const char *name;      /**< NUL-terminated; not empty. */
  size_t name_length;
  const char *variant;   /**< NUL-terminated; "" if the server sent none. */
  size_t variant_length;
  double trackable;      /**< The number of the server; 0 if it sent none. */
  remora_value settings; /**< The keys that the experiment affects: an array of strings, or the empty value. */
} remora_experiment;

/** An event of a source, valid during the callback. */
typedef struct remora_event {
  size_t struct_size;      /**< Size in bytes, set by the library. */
  remora_source *source;   /**< The handle that subscribed; never NULL. An on_event callback can run before the opening
                                function has written out_source: use this handle, and do not close it there. */
  const char *source_name; /**< As in remora_source_info. */
  remora_source_kind kind; /**< REMORA_KIND_… of the source. */
  remora_cause cause;      /**< REMORA_CAUSE_… */
  remora_outcome outcome;  /**< REMORA_OUTCOME_… if cause is REFRESHED; STAGED if a version was staged; else NONE. */
  remora_origin origin;    /**< REMORA_ORIGIN_… of new_snapshot. */
  int64_t version;         /**< Of new_snapshot: a timestamp, or the version of a bundle; 0 without a version. */
  const remora_change *changes; /**< Sorted by key. For a subscriber of a key: that key only. */
  size_t change_count;          /**< 0 if no value changed, and for cause OPENED. */
  const remora_snapshot *old_snapshot;      /**< The live snapshot before the event; never NULL. Retain to keep. */
  const remora_snapshot *new_snapshot;      /**< The live snapshot now; never NULL. Retain to keep. */
  const remora_snapshot *staged_snapshot;   /**< The version that waits for its activation, in events of any cause; else
                                                 NULL. Retain to keep. */
  const remora_experiment *new_experiments; /**< Experiments of new_snapshot that the live data before did not have, or
                                                 had with another variant. Each is reported once; see docs/settings.md.
                                                 NULL without such experiments, and for subscribers of a key. */
  size_t new_experiment_count;
  const remora_error *error;                /**< The reason if outcome is REFUSED or FAILED; else NULL. */
  const remora_error *storage_error;        /**< The last failure of the storage, such as a full disk; else NULL. */
} remora_event;

/** Receives events. A callback may call every function, including remora_unsubscribe and remora_client_close. It must
    return, and must not throw or call longjmp.
    Thread: "remora-events", or the thread that calls remora_dispatch. Callbacks of a client run one at a time, in the
    order of publication, with no lock held.
    @code
    static void on_change(const remora_event *event, void *user_data) {
      (void)user_data;
      for (size_t i = 0; i < event->change_count; i++) printf("%s: %s\n", event->source_name, event->changes[i].key);
    }
    @endcode */
typedef void (*remora_event_callback)(const remora_event *event, void *user_data);

/* ------------------------------------------------------------- sources --- */

/* When a fetched version becomes live. See docs/activation.md. */
typedef int32_t remora_activation;
#define REMORA_ACTIVATION_DEFAULT 0    /**< NEXT_SETUP for settings, but IMMEDIATE for their tags; IMMEDIATE for
                                            others. */
#define REMORA_ACTIVATION_IMMEDIATE 1  /**< At once. */
#define REMORA_ACTIVATION_NEXT_SETUP 2 /**< When the source is opened anew (by a later client, or after its last handle
                                            was closed), or by remora_activate. */
#define REMORA_ACTIVATION_MANUAL 3     /**< Only by remora_activate, also after a restart. */

/* Whether opening a source starts a refresh in the background. */
typedef int32_t remora_first_fetch;
#define REMORA_FIRST_FETCH_DEFAULT 0    /**< AT_OPEN for settings and for bundles with a url; ON_REQUEST for
                                             collections. */
#define REMORA_FIRST_FETCH_AT_OPEN 1    /**< Each opening starts a refresh. */
#define REMORA_FIRST_FETCH_ON_REQUEST 2 /**< The first request is sent by a refresh, await or sync, or when
                                             refresh_interval_ms has passed. */

/** Options that sources of all kinds share. */
typedef struct remora_source_options {
  size_t struct_size;             /**< Set by REMORA_INIT. */
  remora_first_fetch first_fetch; /**< REMORA_FIRST_FETCH_…; AT_OPEN is an invalid argument for a bundle without url. */
  remora_bool persist_overrides;  /**< 1: overrides are stored, and restored at the next open; default 0. */
  int64_t refresh_interval_ms;    /**< Refreshes the source in the background, once in about this time; at least 1,000.
                                       Default and -1: never. See docs/refreshing.md. */
  remora_event_callback on_event; /**< First subscriber; default none. Its first event is the state at open; results of
                                       requests follow. A bundle without cache and defaults has no event at open. */
  void *on_event_user_data;
  void (*on_event_free_user_data)(void *);
} remora_source_options;

typedef int32_t remora_trust;
#define REMORA_TRUST_REQUIRED 0 /**< Signature and chain must verify. The default. */
#define REMORA_TRUST_OFF 1      /**< Nothing is verified: for servers that do not sign. */

/** A collection of a Remote Settings server, and how it is verified. */
typedef struct remora_collection_options {
  size_t struct_size;               /**< Set by REMORA_INIT. */
  const char *name;                 /**< [A-Za-z0-9_-]{1,128}, not starting with '-'. Required. */
  const char *bucket;               /**< Same form as name; default: the client's. */
  const char *server;               /**< As in remora_config; default: the client's. */
  const char *root_sha256;          /**< SHA-256 of the root certificate (DER) of the signers, 64 hexadecimal digits,
                                         colons allowed. Default: production's root for REMORA_SERVER_PROD, else the
                                         root of Mozilla's stage and development servers. */
  const char *signer;               /**< DNS name in the leaf certificate. Default:
                                         "onecrl.content-signature.mozilla.org" for security-state buckets, else
                                         "remote-settings.content-signature.mozilla.org". */
  remora_trust trust;               /**< REMORA_TRUST_REQUIRED or REMORA_TRUST_OFF. */
  remora_activation activation;     /**< REMORA_ACTIVATION_…; default IMMEDIATE. */
  const char *const *previous_roots; /**< NULL-terminated array of at most 8 earlier values of root_sha256. Data that
                                          was stored with them stays readable until the first fetch with the present
                                          root. Default none. See docs/trust.md. */
  const char *const *trusted_hosts; /**< NULL-terminated array of hosts, besides the server's, from which certificate
                                         chains may be downloaded: "host" or "host:port". */
  int64_t max_future_ms;            /**< How far in the future a timestamp may be; default 24 h, -1 = off. */
  const char *packaged_file;        /**< Packaged data: a file {"data": [records], "timestamp": N}, each record with an
                                         "id" and an integer "last_modified"; default none. If its metadata.signatures
                                         contain a "chain" in PEM, it is verified at the first refresh or sync, without
                                         a request; see docs/trust.md. */
  const char *packaged_data;        /**< Packaged data as bytes; not together with packaged_file. */
  size_t packaged_size;             /**< Size of packaged_data in bytes. */
  const char *packaged_attachments; /**< Folder of packaged attachments, each named by the id of its record; default
                                         none. See docs/attachments.md. */
} remora_collection_options;

/**
 * Opens a collection of a Remote Settings server.
 *
 * The newest local data becomes live: cached or packaged data, or a seed (see remora_seed_save), whichever has the
 * highest timestamp. By default no request is sent: call remora_refresh, or set first_fetch or refresh_interval_ms.
 *
 * A collection is identified by server, bucket, name, trust, root_sha256 and signer. If the client has it open already,
 * the new handle refers to the same source. The other options of the first opening stay in effect, except for
 * first_fetch and on_event; a warning in the log names the options with different values.
 *
 * - Activation: data that an earlier client staged becomes live, unless activation is MANUAL. Then it stays staged.
 * - Root rotation: if no data was stored with the present root_sha256, the newest data that was stored with one of
 *   previous_roots is used. Timestamps that were accepted with these roots remain the lowest accepted ones.
 * - Damaged cache: it is logged, reported by remora_source_get_info, and replaced by the next refresh. It is not an
 *   error.
 * @return REMORA_OK, also if the refresh cannot start: it is reported as failed. REMORA_ERR_STORAGE or document errors
 *         if the packaged data (at most 256 MiB) cannot be used.
 * Thread: any. Ownership: the caller closes the source with remora_source_close. Blocking: for file system calls; if a
 * staged version becomes live, for the running job. Loads libraries with REMORA_FIRST_FETCH_AT_OPEN.
 */
remora_status remora_open_collection(remora_client *client, const remora_collection_options *collection,
                                     const remora_source_options *options, remora_source **out_source,
                                     remora_error *error);

/** Closes a source handle. Its subscriptions and asynchronous calls end without a further callback; release their
    handles with remora_unsubscribe and remora_request_release. Open snapshots and attachments remain readable. The
    source itself is closed with its last handle.
    Thread: any; no other thread may use this handle meanwhile. Ownership: consumes the handle. Blocking: for a callback
    of this handle that is running on another thread. */
void remora_source_close(remora_source *source);

/** The state of a source. */
typedef struct remora_source_info {
  size_t struct_size;         /**< Set by REMORA_INIT. */
  const char *name;           /**< Bucket and collection, such as "main/regions"; else the URL without query, followed
                                   by "#" and the tag of settings, or by a space and the name of a bundle. */
  const char *server;         /**< The base URL of a collection's server, which ends in /v1 or /v2; else the origin of
                                   the URL; "" for a bundle without url. */
  remora_source_kind kind;    /**< REMORA_KIND_… */
  remora_origin origin;       /**< REMORA_ORIGIN_… of the live snapshot. */
  remora_bool has_staged;     /**< 1 if a newer version waits for its activation. */
  int32_t filter_failures;    /**< Number of records that are hidden because their filter_expression could not be
                                   evaluated; see the log. */
  int64_t version;            /**< Of the live snapshot: a timestamp, or the version of a bundle; 0 without a
                                   version. */
  int64_t fetched_at_ms;      /**< When the live data was fetched. */
  int64_t checked_at_ms;      /**< The last successful refresh by any process. */
  int64_t checked_age_ms;     /**< The time since checked_at_ms; -1 if never. */
  int64_t attempted_at_ms;    /**< The last attempt by any process. */
  int64_t retry_after_ms;     /**< Remaining time of the server's backoff; 0 if there is none. */
  uint64_t generation;        /**< Number that increases whenever a version of this source is stored. */
  remora_error last_error;    /**< Of the last refresh; status REMORA_OK if it succeeded. */
  remora_error storage_error; /**< The last failure of storage or cache, until one succeeds; else REMORA_OK. */
} remora_source_info;

/** Reads the state of a source.
    @code
    remora_source_info info;
    REMORA_INIT(&info);
    if (remora_source_get_info(source, &info, &error) == REMORA_OK)
      printf("%s: version %lld, from %s\n", info.name, (long long)info.version, remora_origin_name(info.origin));
    @endcode
    @param out_info Receives the state; initialise it by REMORA_INIT.
    Thread: any. Ownership: name and server are valid until the handle is closed. Blocking: for reading a local file of
    1 KiB (the ledger of the server); see "Blocking" above for forked children. */
remora_status remora_source_get_info(remora_source *source, remora_source_info *out_info, remora_error *error);

/** Receives the state of one source. */
typedef int32_t (*remora_source_visitor)(const remora_source_info *info, void *user_data);

/** Calls a visitor with the state of each open source of a client, in the order of opening. Use it for status pages and
    tools. A source with several handles is visited once. A source that is closed meanwhile is skipped.
    Thread: any. Ownership: none. Blocking: as remora_source_get_info, for each source. */
remora_status remora_source_foreach(remora_client *client, remora_source_visitor visitor, void *user_data,
                                    remora_error *error);

/** Gets the address of a number that stays the same while the live snapshot stays the same. Use it to keep converted
    values: one load shows whether they are still current. Read the number with an atomic load (__atomic_load_n with
    __ATOMIC_ACQUIRE), then acquire the snapshot, and keep both. The snapshot is live as long as the number is the same
    and not negative. A negative number means "unknown": acquire a snapshot. It occurs when the source is closed, and
    before this process has started to poll for data that other processes store. The first read starts the polling.
    Thread: any. Ownership: the library's; valid until the handle is closed. Blocking: no. */
remora_status remora_source_get_revision(remora_source *source, const int64_t **out_revision, remora_error *error);

/* ------------------------------------------------------------- bundles --- */

typedef int32_t remora_method;
#define REMORA_METHOD_GET 0  /**< The default. */
#define REMORA_METHOD_POST 1 /**< A POST with an empty body. */

/** A bundle: a versioned JSON document of namespaces, as in the remote configuration of Snowplow mobile trackers. */
typedef struct remora_bundle_options {
  size_t struct_size;           /**< Set by REMORA_INIT. */
  const char *url;              /**< http or https, optionally with a query, without user name, password and fragment. A
                                     URL without a scheme gets https. NULL: the bundle consists of its defaults and
                                     overrides, and nothing is fetched. */
  const char *name;             /**< Distinguishes bundles of the same url, or without one; default "". */
  const char *accepted_schema;  /**< Required beginning of `$schema` after http:// or https://, up to the number of the
                                     model; revision and addition follow. Default
                                     "iglucentral.com/schemas/com.snowplowanalytics.mobile/remote_config/jsonschema/1". */
  remora_method method;         /**< REMORA_METHOD_GET or REMORA_METHOD_POST. */
  remora_activation activation; /**< REMORA_ACTIVATION_DEFAULT or IMMEDIATE: bundles become live at once. */
  const char *default_bundle;   /**< JSON of the default bundle, which is live until one was fetched, and whose
                                     properties are used if a fetched namespace lacks them: a bundle, whose schema and
                                     version are optional, or the array of its elements. Default none. */
  int64_t default_version;      /**< Version of the default bundle, at least 1: only a higher version is used. 0: the
                                     version that default_bundle states, or else lower than any. */
} remora_bundle_options;

/** Opens a bundle. The cached bundle becomes live, or else the default bundle. Then a refresh is started in the
    background, unless first_fetch is REMORA_FIRST_FETCH_ON_REQUEST. The keys of a bundle are its namespaces. The value
    of a key is the JSON object that the document has for the namespace; missing properties are those of the default
    bundle. A fetched bundle is used if its configurationVersion is higher than that of the live bundle and of the
    default bundle. An element or field of a wrong type or range is omitted, with a warning in the log. An element
    without networkConfiguration removes its namespace and the overrides of it. docs/bundles.md has the details. A
    bundle is identified by url, method, name and accepted_schema. Second handles, damaged caches and seeds are treated
    as by remora_open_collection.
    @code
    remora_bundle_options bundle;
    REMORA_INIT(&bundle);
    bundle.url = "https://settings.example/bundle.json";
    if (remora_open_bundle(client, &bundle, NULL, &source, &error) == REMORA_OK)
      remora_get_string(source, "app", "/networkConfiguration/endpoint", text, sizeof text, "none");
    @endcode
    @return REMORA_OK, also if the refresh cannot start: it is reported as failed. Document errors if default_bundle
            cannot be used; it is checked more strictly than a fetched bundle, an element or field that would be omitted
            is an error too, and the message names its place.
    Thread: any. Ownership: the caller closes the source with remora_source_close. Blocking: for file system calls; if a
    staged version becomes live, for the running job, and at most 1 s for another process that stores its overrides.
    Loads libraries if it starts a refresh. */
remora_status remora_open_bundle(remora_client *client, const remora_bundle_options *bundle,
                                 const remora_source_options *options, remora_source **out_source,
                                 remora_error *error);

/** A namespace of a bundle, valid during the callback. */
typedef struct remora_namespace {
  size_t struct_size;       /**< Size in bytes, set by the library. */
  const char *name;         /**< NUL-terminated. */
  size_t name_length;       /**< In bytes, without the NUL. */
  remora_bool in_bundle;    /**< 1: part of the live bundle. 0: kept from an earlier bundle, or made by an override. */
  remora_bool is_default;   /**< 1: the first namespace of the default bundle. */
  remora_origin origin;     /**< REMORA_ORIGIN_…, as in remora_snapshot_get_origin. */
  remora_bool has_override; /**< 1: its value contains an override. */
} remora_namespace;

/** Receives one namespace. */
typedef int32_t (*remora_namespace_visitor)(const remora_namespace *entry, void *user_data);

/** Calls a visitor with each active namespace of a bundle: first those of the live bundle in its order, then those that
    were kept from an earlier bundle or made by an override, sorted by their bytes.
    @param source   A bundle; any other source is an invalid argument.
    @param snapshot A snapshot of this source, such as one of an event; NULL: the live snapshot.
    Thread: any. Ownership: none. Blocking: no; see "Blocking" above for forked children. */
remora_status remora_namespace_foreach(remora_source *source, const remora_snapshot *snapshot,
                                       remora_namespace_visitor visitor, void *user_data, remora_error *error);

/* ------------------------------------------------------------ settings --- */

/** Settings: a JSON dictionary of keys and values, as in the remote settings of the PAPulse SDK. */
typedef struct remora_settings_options {
  size_t struct_size;                /**< Set by REMORA_INIT. */
  const char *url;                   /**< http or https, optionally with a query, without user name, password and
                                          fragment. A URL without a scheme gets https. Default
                                          "https://settings.picsart.com/api/settings". */
  const char *const *request_params; /**< NULL-terminated array of name, value, name, value, …: facts for the server,
                                          such as user, segment, experiments or application. They are added to the query
                                          of every request, percent-encoded. Settings with other parameters are another
                                          source, so that data that was cached for one user is never used for another.
                                          Only a digest of them is stored. Default none. */
  const char *root_key;              /**< The member of the document that holds the dictionary, 1 to 256 bytes. Default
                                          none: the document is the dictionary. */
  const char *tag;                   /**< Opens the dictionary of this tag, with its own cache, instead of the main one:
                                          1 to 256 bytes of UTF-8. Default none. */
  const char *tag_item;              /**< The query item that contains the tag, 1 to 256 bytes; default "tag". */
  remora_activation activation;      /**< REMORA_ACTIVATION_…; default NEXT_SETUP. With a tag only IMMEDIATE, which is
                                          the default then. */
  remora_bool memory_only;           /**< 1: nothing of these settings is stored; persist_overrides must be 0. */
  int64_t ttl_ms;                    /**< How long data is fresh after a successful refresh: remora_await then sends no
                                          request. 0, the default, is the time in the server's Cache-Control header, or
                                          one hour without it. With -1 data is never fresh. Expired data stays live.
                                          While a tag has a subscriber, it is refreshed in the background when it
                                          expires; not with -1, and not if the answer was stale at once. */
  const char *packaged_file;         /**< Packaged data, live until something was fetched: a document as the server
                                          would send it. Default none. */
  const char *packaged_data;         /**< Packaged data as bytes; not together with packaged_file. */
  size_t packaged_size;              /**< Size of packaged_data in bytes. */
} remora_settings_options;

/** Opens settings. The cached settings become live, or else the packaged ones. Then a refresh is started in the
    background, unless first_fetch is REMORA_FIRST_FETCH_ON_REQUEST. The keys are the members of the dictionary; a value
    is any JSON. A key that a newer dictionary does not contain is removed. A null reads as if the key did not exist.
    The version of a snapshot is the time of the fetch that first delivered its content, and always higher than that of
    the content before. The same content again is REMORA_OUTCOME_UNCHANGED. Settings are identified by url,
    request_params, root_key, tag and tag_item. Second handles, damaged caches and seeds are treated as by
    remora_open_collection. docs/settings.md has the details.
    @code
    remora_settings_options settings;
    REMORA_INIT(&settings);
    settings.url = "https://settings.example/app";
    if (remora_open_settings(client, &settings, NULL, &source, &error) == REMORA_OK)
      set_limit(remora_get_int(source, "limit", NULL, 10));
    @endcode
    @return REMORA_OK, also if the refresh cannot start: it is reported as failed. REMORA_ERR_STORAGE or document errors
            if the packaged data (at most 256 MiB) cannot be used.
    Thread: any. Ownership: the caller closes the source with remora_source_close. Blocking: for file system calls; if a
    staged version becomes live, for the running job. Loads libraries if it starts a refresh. */
remora_status remora_open_settings(remora_client *client, const remora_settings_options *settings,
                                   const remora_source_options *options, remora_source **out_source,
                                   remora_error *error);

/** Finds an A/B experiment of settings by its name, with the variant that the server has chosen. Experiments are the
    items of the key `experiments`: an array of objects with the members `name`, `variant`, `trackable` (a number) and
    `settings` (an array of the keys that it affects), or an object of such items by name. An item without a name, or
    with the name of an earlier one, is ignored, and so is a member of another type; a warning in the log contains its
    JSON Pointer. New experiments are reported by remora_event.new_experiments.
    @code
    remora_experiment experiment;
    if (remora_experiment_find(snapshot, "paint", &experiment, NULL) == REMORA_OK) puts(experiment.variant);
    @endcode
    @return REMORA_OK; REMORA_ERR_NOT_FOUND.
    Thread: any. Ownership: the experiment is valid as long as the snapshot. Blocking: no. */
remora_status remora_experiment_find(const remora_snapshot *snapshot, const char *name,
                                     remora_experiment *out_experiment, remora_error *error);

/** Receives one experiment, whose strings and value are valid as long as the snapshot. */
typedef int32_t (*remora_experiment_visitor)(const remora_experiment *experiment, void *user_data);

/** Calls a visitor with each experiment of a snapshot: those of an array in its order, those of an object sorted by the
    bytes of their names. The visitor is not called for a snapshot without the key `experiments`.
    Thread: any. Ownership: none. Blocking: no. */
remora_status remora_experiment_foreach(const remora_snapshot *snapshot, remora_experiment_visitor visitor,
                                        void *user_data, remora_error *error);

/* ------------------------------------------------------------- context --- */

/**
 * Sets the context in which the filters of collections are evaluated. A record whose member `filter_expression` is not
 * true in this context is hidden from getters, snapshots, counts, differences and events.
 *
 * The context is a JSON object. These members are strings or null, and appear in expressions as:
 *
 *     app_id       env.appinfo.ID                       locale       env.locale
 *     app_version  env.version                          country      env.country
 *     channel      env.channel                          form_factor  env.formFactor
 *     os           env.os.name, env.appinfo.os.name, env.appinfo.OS
 *     os_version   env.os.version, env.appinfo.os.version
 *
 * `preferences` is an object, which preferenceValue, preferenceExists and preferenceIsUserSet read by name. Any other
 * member, of any type, is env.<name>, and takes precedence over the ones above. Without a context, env lacks all of
 * them. docs/filters.md has the language of expressions and its limits.
 *
 * When the function returns, all open sources are filtered anew. If records have appeared or disappeared, subscribers
 * are notified by an event with cause REMORA_CAUSE_CONTEXT. No request is sent.
 * @code
 * remora_set_context(client, "{\"locale\":\"de\",\"channel\":\"release\"}", &error);
 * @endcode
 * @param json A JSON object of at most 1 MiB and a depth of at most 64; NULL: no context.
 * @return REMORA_OK. On failure the context stays as it was.
 * Thread: any. Ownership: none. Blocking: for the running job, and for evaluating the filters.
 */
remora_status remora_set_context(remora_client *client, const char *json, remora_error *error);

/* ------------------------------------------------------------- refresh --- */

/** How to refresh, await or sync. A field that the called function does not use must be 0. */
typedef struct remora_refresh_options {
  size_t struct_size;        /**< Set by REMORA_INIT. */
  remora_bool force;         /**< Refresh: 1 ignores the server's backoff and shares no request. It does not wait for a
                                  refresh that has not received its answer, in this or another process. If it succeeds
                                  first, it also completes the earlier refreshes of this client, with its outcome. */
  remora_bool only_if_empty; /**< Await: 1 sends no request if the source has any data: packaged, default, fetched or
                                  staged, even if that data is empty. */
  int64_t expected_version;  /**< Refresh of a collection, and sync: the timestamp that a push message contained; 0 if
                                  unknown; a negative number is an invalid argument. It is sent as `_expected`, so that
                                  a cache between client and server cannot answer with older data. For a sync, it is the
                                  timestamp of the monitor: the version in Mozilla's broadcast
                                  `remote-settings/monitor_changes`, without quotes. */
} remora_refresh_options;

/**
 * Requests newer settings from the server, and waits until they are live or staged.
 *
 * Use it where the program can wait. remora_refresh_async does not wait; remora_await sends a request only if the data
 * is not fresh. Concurrent refreshes of one source share one request.
 *
 * A failed refresh changes nothing: the last good data stays live and stored. If new values cannot be stored, the
 * refresh succeeds, and storage_error in remora_source_info has the reason. The function can return before subscribers
 * are called; the callback of remora_refresh_async is called after them.
 * @param source      The source. A bundle without url is an invalid argument.
 * @param options     NULL: the defaults.
 * @param timeout_ms  The longest time to wait. 0: no request is sent, and the result is REMORA_ERR_TIMEOUT.
 * @param out_outcome Receives the outcome, also on failure: FAILED or REFUSED, or NONE for an invalid argument. May be
 *                    NULL.
 * @return REMORA_OK with the outcome UPDATED, UNCHANGED, NOT_NEWER or STAGED; REMORA_ERR_TIMEOUT; network, document,
 *         trust or freshness errors. REMORA_ERR_CANCELLED if remora_reset was called meanwhile. REMORA_ERR_STORAGE if
 *         another client or process held the source's files for longer than total_timeout_ms. REMORA_ERR_CORRUPT if the
 *         file of the newest image was changed after it was opened.
 * Thread: any. Ownership: none. Blocking: at most timeout_ms. With -1, each request has the limits of remora_config,
 * and the wait for another client or process is at most total_timeout_ms. Loads libraries.
 */
remora_status remora_refresh(remora_source *source, const remora_refresh_options *options, int64_t timeout_ms,
                             remora_outcome *out_outcome, remora_error *error);

/** The result of an asynchronous call of a source, valid during the callback. */
typedef struct remora_result {
  size_t struct_size;                  /**< Size in bytes, set by the library. */
  remora_source *source;               /**< The handle of the call; never NULL. */
  remora_status status;                /**< The status that the waiting function would have returned. */
  remora_outcome outcome;              /**< Of remora_refresh_async: REMORA_OUTCOME_…; NONE for other calls. */
  const remora_snapshot *snapshot;     /**< Of remora_await_async: the fresh snapshot, or the one that was live at the
                                            call; else NULL. Retain to keep. */
  const remora_attachment *attachment; /**< Of remora_attachment_open_async if status is REMORA_OK; else NULL. Retain to
                                            keep. */
  const remora_error *error;           /**< Details; NULL if status is REMORA_OK. */
} remora_result;

/** Receives the result of an asynchronous call. A function …_async starts what the function without _async does, and
    returns; REMORA_OK means that the callback will be called exactly once, unless the client or the source handle is
    closed before. Then only free_user_data is called. When timeout_ms expires, the callback receives
    REMORA_ERR_TIMEOUT, and the request ends unless others wait for it. `callback` may be NULL. `out_request` receives a
    handle for cancelling, which the caller releases with remora_request_release; it may be NULL.
    Thread: as remora_event_callback, after the events of the same refresh.
    @code
    static void on_result(const remora_result *result, void *user_data) {
      (void)user_data;
      if (result->error) fprintf(stderr, "%s\n", result->error->message);
    }
    @endcode */
typedef void (*remora_result_callback)(const remora_result *result, void *user_data);

/** Starts a refresh; see remora_result_callback. A bundle without url is an invalid argument. With a timeout of 0 no
    request is sent.
    @code
    remora_request *request = NULL;
    remora_refresh_async(source, NULL, 5000, on_result, NULL, NULL, &request, &error);
    remora_request_cancel(request); // if the result is not needed any more
    remora_request_release(request);
    @endcode
    Thread: any. Ownership: the caller releases the request. Blocking: no, but loads libraries. */
remora_status remora_refresh_async(remora_source *source, const remora_refresh_options *options, int64_t timeout_ms,
                                   remora_result_callback callback, void *user_data, void (*free_user_data)(void *),
                                   remora_request **out_request, remora_error *error);

/** Cancels an asynchronous operation: its callback receives REMORA_ERR_CANCELLED, unless the operation has completed.
    For a sync, the sources without an outcome fail with this code. The request itself ends when no other caller waits
    for it; a late answer then changes nothing.
    Thread: any. Ownership: none; release the request too. Blocking: no. */
void remora_request_cancel(remora_request *request);

/** Releases a request handle. It does not cancel the operation.
    Thread: any. Ownership: consumes the request. Blocking: no. */
void remora_request_release(remora_request *request);

/** Waits for a fresh snapshot: the refreshed one if it arrives in time, else the one that was live at the call. While
    settings are fresh (see ttl_ms), no request is sent. Collections and bundles are never fresh. If a version was
    staged, the live snapshot is returned, not the staged one.
    @code
    remora_snapshot *fresh = NULL;
    if (remora_await(source, NULL, 2000, &fresh, &error) != REMORA_OK) fprintf(stderr, "%s\n", error.message);
    start(fresh); // the live snapshot if the refresh has failed
    remora_snapshot_release(fresh);
    @endcode
    @param timeout_ms   The longest time to wait. 0: the live snapshot is returned at once, without a request.
    @param out_snapshot Receives a snapshot, also on failure. NULL only if an argument is invalid, or the client was
                        closed before the call.
    @return REMORA_OK if the data was refreshed, or no request was needed; else a status of remora_refresh.
    Thread: any. Ownership: the caller releases the snapshot. Blocking: as remora_refresh. */
remora_status remora_await(remora_source *source, const remora_refresh_options *options, int64_t timeout_ms,
                           remora_snapshot **out_snapshot, remora_error *error);

/** Starts to wait for a fresh snapshot, as remora_await does; see remora_result_callback. Without a callback it is a
    prefetch for later waits and reads. When timeout_ms expires, the callback also receives the snapshot that was live
    at the call. With a timeout of 0 it receives REMORA_OK and this snapshot, and no request is sent.
    Thread: any. Ownership: the caller releases the request. Blocking: no, but loads libraries. */
remora_status remora_await_async(remora_source *source, const remora_refresh_options *options, int64_t timeout_ms,
                                 remora_result_callback callback, void *user_data, void (*free_user_data)(void *),
                                 remora_request **out_request, remora_error *error);

/** Deletes everything that was fetched for a source: images, also a staged one, a seed, the highest accepted version
    and the last error. The packaged data or the default bundle becomes live, and the next refresh fetches everything. A
    refresh that is running fails with REMORA_ERR_CANCELLED. Overrides stay. Use it to recover after a server has signed
    a wrong timestamp.
    @return REMORA_OK, also if a later step, such as removing an image, has failed: see storage_error in
            remora_source_info. REMORA_ERR_STORAGE if another client or process holds the source's files for 5 s, or a
            ledger cannot be read or written; REMORA_ERR_PERMISSION. On failure nothing was deleted, and only a running
            refresh was cancelled.
    Thread: any. Ownership: none. Blocking: at most 5 s for another client or process that holds the source's files, for
    the queued jobs, and for file system calls. */
remora_status remora_reset(remora_source *source, remora_error *error);

/* ---------------------------------------------------------- activation --- */

/**
 * Makes the staged version live: in this process at once, and for every client that opens the source from now on. Other
 * processes that have the source open keep their live version.
 *
 * The function can be called at any time and with every activation. In the callback of an event with outcome STAGED, it
 * activates the staged_snapshot of the event, or a newer one. Subscribers are notified by an event with cause
 * REMORA_CAUSE_ACTIVATED. While another process holds the source's files, the engine thread stores the activation
 * later. If the process ends before, the version is staged again at the next open.
 * @code
 * remora_outcome outcome;
 * if (remora_activate(source, &outcome, &error) == REMORA_OK) puts(remora_outcome_name(outcome));
 * @endcode
 * @param out_outcome Receives REMORA_OUTCOME_UPDATED, or UNCHANGED if nothing was staged; NONE on failure. May be NULL.
 * @return REMORA_OK, also if the storage has failed: see storage_error in remora_source_info.
 * Thread: any. Ownership: none. Blocking: for the running job, and for file system calls. For a bundle that removes a
 * namespace, at most 1 s for another process that stores its overrides.
 */
remora_status remora_activate(remora_source *source, remora_outcome *out_outcome, remora_error *error);

/**
 * Freezes the live version for the rest of the client's life. Versions that are fetched from now on are staged, as with
 * REMORA_ACTIVATION_NEXT_SETUP, and become live when a later client opens the source.
 *
 * Subscribers of the source receive no further events, except for the current state at a new subscription with replay.
 * Results of asynchronous calls are still delivered. The freeze applies to all handles of the source, also to those
 * that this client opens later. remora_activate, overrides, the context and remora_reset still change the live version.
 *
 * When the function returns, no event callback of this source is running or will run. Inside a callback it does not
 * wait.
 * @return REMORA_OK, also if it was called before.
 * Thread: any. Ownership: none. Blocking: for the running job, and for a callback of the source's subscriptions that is
 * running on another thread.
 */
remora_status remora_stop_listening(remora_source *source, remora_error *error);

/* ---------------------------------------------------------------- sync --- */

/** The result of a sync for one source, valid during the callback. */
typedef struct remora_sync_item {
  const char *source_name;   /**< As in remora_source_info. */
  const char *server;        /**< As in remora_source_info. */
  remora_source_kind kind;   /**< REMORA_KIND_… */
  remora_outcome outcome;    /**< REMORA_OUTCOME_… */
  const remora_error *error; /**< The reason if outcome is REFUSED or FAILED; else NULL. */
} remora_sync_item;

/** The result of a sync, valid during the callback. */
typedef struct remora_sync_report {
  size_t struct_size;            /**< Size in bytes, set by the library. */
  const remora_sync_item *items; /**< One per source that was open at the call, in the order of opening; none for a
                                      bundle without url. */
  size_t item_count;             /**< updated + unchanged + staged + failed. */
  size_t updated;                /**< Sources with outcome UPDATED. */
  size_t unchanged;              /**< With UNCHANGED or NOT_NEWER. */
  size_t staged;                 /**< With STAGED. */
  size_t failed;                 /**< With REFUSED or FAILED. */
  const remora_error *error;     /**< The first failure, with the counts in its message; NULL if no source failed. */
} remora_sync_report;

/** Receives the result of a sync. It must return, and must not throw or call longjmp.
    Thread: for remora_sync its caller's; for remora_sync_async as remora_event_callback, after the events of its
    refreshes. */
typedef void (*remora_sync_callback)(const remora_sync_report *report, void *user_data);

/** Refreshes the sources of a client that have changed on their servers, and waits until they are live or staged. Each
    server is asked once which of its collections have changed: one request goes to its monitor. Then the collections
    whose timestamp differs from that of the newest local data, or that the monitor does not list, are refreshed: four
    at a time, sharing requests with refreshes that are running. Bundles and settings have no monitor, and are always
    refreshed. A source that fails does not stop the others; if a monitor fails, all collections of its server fail. A
    collection that the monitor reports as unchanged has no event, and its checked_at_ms stays as it is, because the
    answer of a monitor is not signed.
    @code
    if (remora_sync(client, NULL, 10000, NULL, NULL, &error) != REMORA_OK) fprintf(stderr, "%s\n", error.message);
    @endcode
    @param timeout_ms The longest time to wait; sources without an outcome then fail with REMORA_ERR_TIMEOUT. 0: no
                      request is sent.
    @param callback   Called once before this function returns, unless an argument is invalid, the client is closed, or
                      nothing could be started. May be NULL.
    @return REMORA_OK if all sources have succeeded, or none is open; else the status of the first source that failed,
            which is one of remora_refresh. `error` receives the same details as the report.
    Thread: any. Ownership: none. Blocking: at most timeout_ms, and for the callback. With -1, for the requests to the
    monitors, and then as remora_refresh for each source, four at a time. Loads libraries. */
remora_status remora_sync(remora_client *client, const remora_refresh_options *options, int64_t timeout_ms,
                          remora_sync_callback callback, void *user_data, remora_error *error);

/** Starts a sync; see remora_result_callback, except that the call belongs to no source handle. When timeout_ms
    expires, sources without an outcome fail with REMORA_ERR_TIMEOUT. With a timeout of 0 no request is sent.
    Thread: any. Ownership: the caller releases the request. Blocking: no, but loads libraries. */
remora_status remora_sync_async(remora_client *client, const remora_refresh_options *options, int64_t timeout_ms,
                                remora_sync_callback callback, void *user_data, void (*free_user_data)(void *),
                                remora_request **out_request, remora_error *error);

/* ---------------------------------------------------------- get by key --- */

/*
 * Getters read one value, and return a default if the value does not exist or has another type. They cannot fail. Two
 * calls can read two versions: acquire a snapshot to read values that belong together, or to read without copying.
 * `key` is the id of a record, a namespace, or a member of the dictionary. The default is also returned if source or
 * key is NULL, and after remora_client_close. A default text of NULL is "".
 * @code
 * char engine[64];
 * remora_bool enabled = remora_get_bool(source, "features", "/banner", 0);
 * remora_get_string(source, "search", "/default", engine, sizeof engine, "none");
 * if (enabled) puts(engine);
 * @endcode
 * For each function of this group: Thread: any. Ownership: none. Blocking: no; see "Blocking" above for forked
 * children.
 */

/** Reads a boolean. Returns 1, 0 or the default. */
remora_bool remora_get_bool(remora_source *source, const char *key, const char *pointer, remora_bool default_value);

/** Reads a number that is exactly a 64-bit integer. */
int64_t remora_get_int(remora_source *source, const char *key, const char *pointer, int64_t default_value);

/** Reads a number that is exactly a double. */
double remora_get_double(remora_source *source, const char *key, const char *pointer, double default_value);

/** Copies a string. Returns the length of the whole string in bytes. */
size_t remora_get_string(remora_source *source, const char *key, const char *pointer, char *buffer, size_t size,
                         const char *default_value);

/** Copies a string that is an absolute URI (RFC 3986) of at most 8,192 bytes, such as "https://example.com/a" or
    "app://editor". Any scheme is accepted: check the scheme before the URL is opened. A URL of http or https must have
    a valid host, and neither user name nor password. Returns the length of the whole URL in bytes. */
size_t remora_get_url(remora_source *source, const char *key, const char *pointer, char *buffer, size_t size,
                      const char *default_value);

/** Copies the canonical JSON text of a value of any type; see remora_snapshot_get_json. The default is copied
    unchanged, also if the value is null; "" is not JSON. Returns the length of the whole text in bytes. */
size_t remora_get_json(remora_source *source, const char *key, const char *pointer, char *buffer, size_t size,
                       const char *default_value);

/* ---------------------------------------------------------- bound keys --- */

/** Creates a handle for one value of a source that is read often, such as for each frame or packet. The handle caches
    the value: as long as nothing is published, a read is a few loads without a search, several times faster than
    remora_get_….
    @code
    remora_key *banner = NULL;
    remora_key_bind(source, "features", "/banner", &banner, &error);
    while (draw_frame(remora_key_get_bool(banner, 0))) {}
    remora_key_release(banner);
    @endcode
    @param key     The id of a record, a namespace, or a member of the dictionary. It need not exist yet.
    Thread: any. Ownership: the caller releases the key. It stays valid when the source handle is closed. Blocking: no;
    see "Blocking" above for forked children. */
remora_status remora_key_bind(remora_source *source, const char *key, const char *pointer, remora_key **out_key,
                              remora_error *error);

/** Releases a bound key. No thread may use the key afterwards.
    Thread: any. Ownership: consumes the key. Blocking: no. */
void remora_key_release(remora_key *key);

/*
 * Getters of a bound key read as remora_get_bool and its siblings. They return the default if the key is NULL, and
 * after remora_client_close. For each function of this group: Thread: any. Ownership: none. Blocking: no; see
 * "Blocking" above for forked children.
 */

/** Reads a boolean. Returns 1, 0 or the default. */
remora_bool remora_key_get_bool(remora_key *key, remora_bool default_value);

/** Reads a number that is exactly a 64-bit integer. */
int64_t remora_key_get_int(remora_key *key, int64_t default_value);

/** Reads a number that is exactly a double. */
double remora_key_get_double(remora_key *key, double default_value);

/** Copies a string. Strings of up to 64 bytes are cached. Returns the length of the whole string in bytes. */
size_t remora_key_get_string(remora_key *key, char *buffer, size_t size, const char *default_value);

/** Returns how many changes of the value the calls of this function have seen since the key was bound; 0 for NULL.
    Compare it with the last result, to compute something from the value only when necessary. Changes between two calls
    count as one. */
int64_t remora_key_get_change_count(remora_key *key);

/* ----------------------------------------------------------- snapshots --- */

/** remora_snapshot_acquire: the data as it was received, for tools: with the records that filters hide, and without
    overrides and defaults. A namespace that a bundle removes is null. */
#define REMORA_SNAPSHOT_UNFILTERED 1u

/** Acquires the live snapshot of a source. Use it to read values that belong together, and to read without copying. The
    snapshot of a source without any data has origin REMORA_ORIGIN_NONE, and contains only overrides.
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
    Thread: any. Ownership: the caller releases the snapshot. Blocking: no; see "Blocking" above for forked children. */
remora_status remora_snapshot_acquire(remora_source *source, remora_flags flags, remora_snapshot **out_snapshot,
                                      remora_error *error);

/** Adds a reference to a snapshot, and returns it. Each reference is released by itself.
    Thread: any. Ownership: the caller releases the reference. Blocking: no. */
remora_snapshot *remora_snapshot_retain(const remora_snapshot *snapshot);

/** Releases a reference to a snapshot. With the last one, the snapshot is freed.
    Thread: any. Ownership: consumes one reference. Blocking: no. */
void remora_snapshot_release(remora_snapshot *snapshot);

/** The properties of a snapshot. */
typedef struct remora_snapshot_info {
  size_t struct_size;    /**< Set by REMORA_INIT. */
  remora_origin origin;  /**< REMORA_ORIGIN_… */
  remora_bool verified;  /**< 1 if a signature of this data was verified. It does not cover overrides. For packaged data
                              see packaged_file. */
  int64_t version;       /**< A timestamp, or the version of a bundle; 0 without a version. */
  int64_t fetched_at_ms; /**< When the data of the snapshot was fetched. */
  size_t count;          /**< Number of keys. */
} remora_snapshot_info;

/** Reads the properties of a snapshot.
    @param out_info Receives the properties; initialise it by REMORA_INIT.
    Thread: any. Ownership: none. Blocking: no. */
remora_status remora_snapshot_get_info(const remora_snapshot *snapshot, remora_snapshot_info *out_info,
                                       remora_error *error);

/** Returns the number of keys; 0 for NULL. Thread: any. Ownership: none. Blocking: no. */
size_t remora_snapshot_count(const remora_snapshot *snapshot);

/** Finds the value of a key, or a place in it. The value can be null.
    @param key The key, 1 to 65,535 bytes.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND.
    Thread: any. Ownership: the value is valid as long as the snapshot. Blocking: no. */
remora_status remora_snapshot_get(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                  remora_value *out_value, remora_error *error);

/** Does the same as remora_snapshot_get, with strings that have a length in bytes and need no NUL. For bindings.
    @param pointer_length Size of the pointer; 0 if it is NULL.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND.
    Thread: any. Ownership: the value is valid as long as the snapshot. Blocking: no. */
remora_status remora_snapshot_get_n(const remora_snapshot *snapshot, const char *key, size_t key_length,
                                    const char *pointer, size_t pointer_length, remora_value *out_value,
                                    remora_error *error);

/** Gets the key and value at a position. Keys are sorted by their bytes. Each output may be NULL.
    @param index 0 to remora_snapshot_count - 1.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND if index is too large.
    Thread: any. Ownership: key and value are valid as long as the snapshot. Blocking: no. */
remora_status remora_snapshot_item(const remora_snapshot *snapshot, size_t index, const char **out_key,
                                   size_t *out_key_length, remora_value *out_value, remora_error *error);

/*
 * Typed reads of snapshots return REMORA_OK; REMORA_ERR_NOT_FOUND, also for null; or REMORA_ERR_WRONG_TYPE.
 * `out_length` may be NULL. For each function of this group: Thread: any. Ownership: strings are valid as long as the
 * snapshot. Blocking: no.
 */

/** Reads a boolean: 1 or 0. */
remora_status remora_snapshot_get_bool(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                       remora_bool *out_value, remora_error *error);

/** Reads an integer. A double that is exactly a 64-bit integer is converted. */
remora_status remora_snapshot_get_int(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                      int64_t *out_value, remora_error *error);

/** Reads a number. An integer that is exactly a double is converted. */
remora_status remora_snapshot_get_double(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                         double *out_value, remora_error *error);

/** Reads a string without copying it. */
remora_status remora_snapshot_get_string(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                         const char **out_string, size_t *out_length, remora_error *error);

/** Reads a string that is an absolute URI, by the rules of remora_get_url, without copying it. */
remora_status remora_snapshot_get_url(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                      const char **out_url, size_t *out_length, remora_error *error);

/** Writes the canonical JSON text of one value, or of the whole snapshot as one object: keys sorted, no spaces,
    non-ASCII characters escaped, and doubles with the shortest digits and an exponent, such as 7.5E-1 for 0.75. It is
    the form that Remote Settings servers sign.
    @param key     The key; NULL: the whole snapshot. Then `pointer` must be NULL too.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND; REMORA_ERR_CORRUPT if the file of the image was changed after it was
            opened.
    Thread: any. Ownership: none. Blocking: no. */
remora_status remora_snapshot_get_json(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                       char *buffer, size_t size, size_t *out_length, remora_error *error);

/** Gets the origin of a key.
    @param out_origin Receives REMORA_ORIGIN_OVERRIDE if the value contains an override; REMORA_ORIGIN_DEFAULT if all of
                      it is from the default bundle; else the origin of the snapshot, or of the earlier bundle from
                      which the namespace was kept.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND.
    Thread: any. Ownership: none. Blocking: no. */
remora_status remora_snapshot_get_origin(const remora_snapshot *snapshot, const char *key, remora_origin *out_origin,
                                         remora_error *error);

/** Receives one difference of two snapshots, whose values are valid as long as their snapshots.
    @code
    static int32_t print_change(const remora_change *change, void *user_data) {
      (void)user_data;
      return puts(change->key) < 0;
    }
    @endcode */
typedef int32_t (*remora_change_visitor)(const remora_change *change, void *user_data);

/** Calls a visitor with each difference of two snapshots, in the order of keys. NULL is an empty snapshot. Values are
    compared, not their text: an equal value in another notation is not a difference. (10 and 1e1 have different types.)
    @code
    remora_snapshot_diff(old_snapshot, snapshot, print_change, NULL, &error);
    @endcode
    Thread: any. Ownership: none. Blocking: no. */
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

/*
 * Functions of values. The snapshot of the value must not have been released. The empty value is an invalid argument,
 * except for remora_value_type and remora_value_count. Typed reads return REMORA_OK; REMORA_ERR_NOT_FOUND for null; or
 * REMORA_ERR_WRONG_TYPE. `out_length` of strings may be NULL.
 * @code
 * remora_value list, item;
 * const char *name = NULL;
 * if (remora_snapshot_get(snapshot, "regions", "/names", &list, &error) == REMORA_OK) {
 *   for (size_t i = 0; remora_value_item(list, i, NULL, NULL, &item, NULL) == REMORA_OK; i++)
 *     if (remora_value_get_string(item, &name, NULL, NULL) == REMORA_OK) puts(name);
 * }
 * @endcode
 * For each function of this group: Thread: any. Ownership: strings and values are valid as long as the snapshot.
 * Blocking: no.
 */

/** Returns the type of a value, REMORA_TYPE_… */
remora_type remora_value_type(remora_value value);

/** Reads a boolean: 1 or 0. */
remora_status remora_value_get_bool(remora_value value, remora_bool *out_value, remora_error *error);

/** Reads an integer. A double that is exactly a 64-bit integer is converted. */
remora_status remora_value_get_int(remora_value value, int64_t *out_value, remora_error *error);

/** Reads a number. An integer that is exactly a double is converted. */
remora_status remora_value_get_double(remora_value value, double *out_value, remora_error *error);

/** Reads a string without copying it. */
remora_status remora_value_get_string(remora_value value, const char **out_string, size_t *out_length,
                                      remora_error *error);

/** Reads a string that is an absolute URI, by the rules of remora_get_url, without copying it. */
remora_status remora_value_get_url(remora_value value, const char **out_url, size_t *out_length, remora_error *error);

/** Writes the canonical JSON text of a value, as remora_snapshot_get_json.
    @return REMORA_OK; REMORA_ERR_CORRUPT if the file of the image was changed after it was opened. */
remora_status remora_value_get_json(remora_value value, char *buffer, size_t size, size_t *out_length,
                                    remora_error *error);

/** Returns the number of elements of an array or members of an object; 0 for any other type and for the empty value. */
size_t remora_value_count(remora_value value);

/** Finds a member of an object by name; "" is a valid name. The member can be null.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND; REMORA_ERR_WRONG_TYPE if the value is not an object. */
remora_status remora_value_member(remora_value value, const char *name, remora_value *out_value,
                                  remora_error *error);

/** Gets the element of an array or the member of an object at a position. Members are sorted by the bytes of their
    names. The name of an element is NULL, its length 0. The result can be null. Each output may be NULL.
    @param index 0 to remora_value_count - 1.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND if index is too large; REMORA_ERR_WRONG_TYPE for other types. */
remora_status remora_value_item(remora_value value, size_t index, const char **out_name, size_t *out_name_length,
                                remora_value *out_value, remora_error *error);

/** Follows a JSON Pointer (RFC 6901) from a value. The result can be null.
    @return REMORA_OK; REMORA_ERR_NOT_FOUND. */
remora_status remora_value_resolve(remora_value value, const char *pointer, remora_value *out_value,
                                   remora_error *error);

/** Writes the members of a record (the value of a key of a collection), except for `id`, `last_modified` and
    `attachment`, as one canonical JSON object; see remora_snapshot_get_json.
    @return REMORA_OK; REMORA_ERR_WRONG_TYPE if the value is not an object; REMORA_ERR_CORRUPT as
            remora_value_get_json. */
remora_status remora_value_record_fields(remora_value record, char *buffer, size_t size, size_t *out_length,
                                         remora_error *error);

/* --------------------------------------------------------- attachments --- */

/** The progress of a download. */
typedef struct remora_progress {
  size_t struct_size; /**< Size in bytes, set by the library. */
  int64_t received;   /**< Bytes received so far, including those of an interrupted download that is resumed. It
                           decreases if the server starts from the beginning. */
  int64_t total;      /**< The size that the record states. */
} remora_progress;

/** Receives the progress of a download: at most about a hundred times, and with `received` equal to `total` before a
    successful download completes. It is not called if nothing has to be downloaded.
    Thread: for remora_attachment_open its caller's; for remora_attachment_open_async as remora_event_callback, and
    before the result. No lock is held. */
typedef void (*remora_progress_callback)(const remora_progress *progress, void *user_data);

/** How to open an attachment. */
typedef struct remora_attachment_options {
  size_t struct_size;              /**< Set by REMORA_INIT. */
  const remora_snapshot *snapshot; /**< Snapshot that contains the record; default: the live one. The host may release
                                        it when the function has returned. */
  int64_t max_bytes;               /**< Larger attachments are not opened; default 64 MiB, -1 = off. */
  remora_bool by_location;         /**< 1: `record` is the location of the attachment. Records that filters hide are
                                        found too. */
  remora_bool local_only;          /**< 1: no request is sent. */
  remora_progress_callback on_progress; /**< Receives the progress of the download; default none. */
  void *on_progress_user_data;
  void (*on_progress_free_user_data)(void *);
} remora_attachment_options;

/**
 * Opens the attachment of a record: from the storage directory, else from the packaged attachments, else from the
 * server.
 *
 * An attachment is verified: it has the size and the SHA-256 that its record states, so that it is as trustworthy as
 * the record. Downloads are verified before they are used; stored and packaged files at their first opening in the life
 * of a client. A download is stored under its SHA-256 for later openings by any record, client or process. An
 * interrupted download is resumed by the next opening. Concurrent openings of one attachment share one download. The
 * total_timeout_ms of the client does not apply to downloads; its other limits do.
 * @code
 * remora_attachment *attachment = NULL;
 * if (remora_attachment_open(source, "fr-en", NULL, 60000, &attachment, &error) == REMORA_OK) {
 *   load(remora_attachment_data(attachment), remora_attachment_size(attachment));
 *   remora_attachment_release(attachment);
 * }
 * @endcode
 * @param record         The id of the record, or the location of its attachment with by_location.
 * @param timeout_ms     The longest time to wait. 0: a stored or packaged attachment is opened, and REMORA_ERR_TIMEOUT
 *                       is returned if a request would be needed.
 * @return REMORA_OK; REMORA_ERR_NOT_FOUND if the record, its attachment or the location does not exist, or with
 *         local_only the attachment is not stored or packaged; REMORA_ERR_TIMEOUT; REMORA_ERR_CANCELLED in a child that
 *         was forked inside the progress callback; REMORA_ERR_ATTACHMENT_MISMATCH; network, document or storage errors,
 *         which docs/attachments.md explains.
 * Thread: any. Ownership: the caller releases the attachment with remora_attachment_release. Blocking: at most
 * timeout_ms, and for file system calls and the progress callback. With 0 it can wait for the verification of a stored
 * or packaged file that this client opens for the first time. With -1 it waits without a limit for a free place among
 * the eight downloads of a client, and for another client or process that downloads the same attachment. Loads
 * libraries.
 */
remora_status remora_attachment_open(remora_source *source, const char *record,
                                     const remora_attachment_options *options, int64_t timeout_ms,
                                     remora_attachment **out_attachment, remora_error *error);

/** Starts opening an attachment; see remora_result_callback. Without a callback the attachment is prepared for a later
    opening. The record is found before the function returns, so that REMORA_ERR_NOT_FOUND, REMORA_ERR_FORMAT and
    REMORA_ERR_TOO_LARGE for the record are returned at once. A timeout of 0 is as for remora_attachment_open.
    @param record The id of the record, or the location of its attachment with by_location.
    Thread: any. Ownership: the caller releases the request. Blocking: no, but loads libraries. */
remora_status remora_attachment_open_async(remora_source *source, const char *record,
                                           const remora_attachment_options *options, int64_t timeout_ms,
                                           remora_result_callback callback, void *user_data,
                                           void (*free_user_data)(void *), remora_request **out_request,
                                           remora_error *error);

/** Adds a reference to an attachment, and returns it. Each reference is released by itself.
    Thread: any. Ownership: the caller releases the reference. Blocking: no. */
remora_attachment *remora_attachment_retain(const remora_attachment *attachment);

/** Returns the first of remora_attachment_size bytes, which never change; NULL for NULL only.
    Thread: any. Ownership: valid until the attachment is released, also after remora_client_close. Blocking: no. */
const void *remora_attachment_data(const remora_attachment *attachment);

/** Returns the size in bytes, which is that of the record; 0 for NULL. Thread: any. Ownership: none. Blocking: no. */
size_t remora_attachment_size(const remora_attachment *attachment);

/** Returns the path of the file that holds the bytes, for programs that need a file. Do not write to it: it is shared.
    It can be removed when no record refers to it any more. The path is absolute if storage_dir or packaged_attachments
    is. NULL if the bytes are in memory only, and for NULL.
    Thread: any. Ownership: valid until the attachment is released. Blocking: no. */
const char *remora_attachment_path(const remora_attachment *attachment);

/** Releases a reference to an attachment. With the last one, its memory is freed. The stored file remains.
    Thread: any, also after remora_client_close. Ownership: consumes one reference. Blocking: no. */
void remora_attachment_release(remora_attachment *attachment);

/* ----------------------------------------------------------- subscribe --- */

/** remora_subscribe: the first event is the current state, with cause OPENED. */
#define REMORA_SUBSCRIBE_REPLAY 1u

/**
 * Registers a callback for the events of a source, or for the changes of one key.
 *
 * A subscriber of a source is called after every refresh, with its outcome, and after every other change of the live
 * snapshot. A subscriber of a key is called when the value of that key has changed. Subscribing sends no request. While
 * a tag of settings has a subscriber, it is refreshed when it expires; see ttl_ms.
 *
 * While a callback runs, later events that changed the live snapshot merge into one if their cause and outcome are the
 * same: its old_snapshot is that of the first, its new_snapshot that of the last. Other events never merge.
 * @code
 * remora_subscription *subscription = NULL;
 * remora_subscribe(source, NULL, REMORA_SUBSCRIBE_REPLAY, on_change, NULL, NULL, &subscription, &error);
 * remora_unsubscribe(subscription); // when the events are not needed any more
 * @endcode
 * @param key              The key; NULL: the whole source.
 * @param flags            0 or REMORA_SUBSCRIBE_REPLAY.
 * @param out_subscription Receives the subscription. NULL: it lasts until the source handle is closed.
 * Thread: any. Ownership: the caller ends the subscription with remora_unsubscribe. Blocking: no; see "Blocking" above
 * for forked children.
 */
remora_status remora_subscribe(remora_source *source, const char *key, remora_flags flags,
                               remora_event_callback callback, void *user_data, void (*free_user_data)(void *),
                               remora_subscription **out_subscription, remora_error *error);

/** Ends a subscription. When the function returns, the callback is not running and will not run again. On a thread that
    is itself inside a callback of Remora, the function does not wait: free_user_data is called when the callback has
    returned. If the client is being closed on another thread, free_user_data is called there.
    Thread: any. Ownership: consumes the subscription. Blocking: for this subscription's callback on another thread. */
void remora_unsubscribe(remora_subscription *subscription);

/* ----------------------------------------------------------- overrides --- */

/** remora_override_set: set the value only if the live snapshot has the key. */
#define REMORA_OVERRIDE_IF_EXISTS 1u

/**
 * Sets a value that takes precedence over all others until it is cleared: over the live value, and over values that are
 * fetched by this or another process, or packaged, later. A reset does not clear it. A bundle that removes a namespace
 * clears its overrides.
 *
 * A missing key and missing objects on the way to the place are created; null counts as missing. The pointer must lead
 * through objects. If a later refresh delivers another type on its path, the override replaces that value. The new
 * override replaces overrides at the same place and below it. An override above it stays, and is applied first.
 *
 * When the function returns, the value is live. If a key has changed, subscribers are notified by an event with cause
 * REMORA_CAUSE_OVERRIDE. Overrides belong to the source, whichever handle has set them. They end with its last handle,
 * unless persist_overrides is 1. docs/overrides.md has the details.
 *
 * With REMORA_OVERRIDE_IF_EXISTS, a key that the live snapshot does not have is not created, and a removed namespace
 * does not reappear. Use it at start for values that belong to a key of the server, such as a user id. A record that a
 * filter hides does not exist. No other change becomes live between the check and the override.
 * @code
 * remora_override_set(source, "limits", "/max_uploads", "50", 0, &error);
 * remora_override_clear(source, "limits", "/max_uploads", &error);
 * @endcode
 * @param key     The key, 1 to 65,535 bytes.
 * @param pointer JSON Pointer to the place in the value, at most 65,535 bytes; NULL: the whole value.
 * @param json    The value as JSON text of at most 1 MiB; "null" is a value too. Its depth and the names of the pointer
 *                together are at most 64.
 * @param flags   0 or REMORA_OVERRIDE_IF_EXISTS.
 * @return REMORA_OK, also if the storage has failed: see storage_error in remora_source_info. REMORA_ERR_NOT_FOUND with
 *         REMORA_OVERRIDE_IF_EXISTS; REMORA_ERR_WRONG_TYPE if a value on the way is not an object; REMORA_ERR_TOO_LARGE
 *         for more than 10,000 overrides, or more data than an image of 2 GiB can hold; REMORA_ERR_CORRUPT if the file
 *         of the live image was changed after it was opened. On failure nothing was changed.
 * Thread: any. Ownership: none. Blocking: for the running job; with persist_overrides, for file system calls, and at
 * most 5 s for another client or process that stores its overrides of the source.
 */
remora_status remora_override_set(remora_source *source, const char *key, const char *pointer, const char *json,
                                  remora_flags flags, remora_error *error);

/** Clears the override at a place and the overrides below it. The values under them become live again.
    @param pointer JSON Pointer to the place in the value; NULL: all overrides of the key.
    @return REMORA_OK, also if the storage has failed; REMORA_ERR_NOT_FOUND if there is no override (not returned while
            the stored overrides cannot be read); REMORA_ERR_CORRUPT or REMORA_ERR_TOO_LARGE as remora_override_set.
    Thread: any. Ownership: none. Blocking: as remora_override_set. */
remora_status remora_override_clear(remora_source *source, const char *key, const char *pointer,
                                    remora_error *error);

/** Clears all overrides of a source.
    @return REMORA_OK, also if there was no override, or the storage has failed; REMORA_ERR_CORRUPT or
            REMORA_ERR_TOO_LARGE as remora_override_set.
    Thread: any. Ownership: none. Blocking: as remora_override_set. */
remora_status remora_override_clear_all(remora_source *source, remora_error *error);

/** An override, valid during the callback. Lengths are in bytes, without the NUL. */
typedef struct remora_override {
  size_t struct_size;  /**< Size in bytes, set by the library. */
  const char *key;     /**< NUL-terminated. */
  size_t key_length;
  const char *pointer; /**< JSON Pointer, NUL-terminated; "" is the whole value. */
  size_t pointer_length;
  const char *json;    /**< Canonical JSON text, NUL-terminated. */
  size_t json_length;
} remora_override;

/** Receives one override. */
typedef int32_t (*remora_override_visitor)(const remora_override *entry, void *user_data);

/** Calls a visitor with each override of a source at the time of the call, sorted by the bytes of key and pointer.
    Thread: any. Ownership: none. Blocking: no. */
remora_status remora_override_foreach(remora_source *source, remora_override_visitor visitor, void *user_data,
                                      remora_error *error);

/* ------------------------------------------------------------- seeding --- */

/** Describes the source that a seed is for. A seed is data that an installer downloads and saves before the program
    runs. Exactly one of collection, bundle and settings is set, with the values that the program uses to open the
    source. */
typedef struct remora_seed_options {
  size_t struct_size;                          /**< Set by REMORA_INIT. */
  const remora_collection_options *collection; /**< Its seed is packaged data, as `remora dump` writes it. */
  const remora_bundle_options *bundle;         /**< With a url. */
  const remora_settings_options *settings;     /**< Without memory_only. */
  const char *identifier;                      /**< The name of the installer for the server; default "seed". */
  int64_t fetched_at_ms;                       /**< When the file was downloaded; default: when it was last modified. A
                                                    time in the future counts as now. */
} remora_seed_options;

/* The parts of the request for a seed. */
typedef int32_t remora_seed_part;
#define REMORA_SEED_URL 1     /**< The URL to download. */
#define REMORA_SEED_METHOD 2  /**< "GET", or "POST" with an empty body. */
#define REMORA_SEED_HEADERS 3 /**< The headers to send: lines "Name: value", each ended by "\n". */

/** Writes a part of the request by which an installer downloads a seed. Sends nothing. The headers are those of the
    configuration and, unless it has a User-Agent, the user agent. The URL of settings has the query items "identifier",
    "app", "version" and "build" of options and configuration, percent-encoded, unless url or request_params has an item
    of that name. An item whose field of the configuration is NULL is omitted; without an identifier it is "seed". These
    items do not change the identity of the settings.
    @param config  The configuration; storage_dir is not used.
    @param options The source; must not be NULL. A collection and a bundle without url are invalid arguments.
    Thread: any. Ownership: none. Blocking: no. */
remora_status remora_seed_request(const remora_config *config, const remora_seed_options *options,
                                  remora_seed_part part, char *buffer, size_t size, size_t *out_length,
                                  remora_error *error);

/**
 * Checks the file that an installer has downloaded, and saves it as the seed of a source.
 *
 * The file is decoded as strictly as an answer of the server. The seed of a collection must also verify, by the
 * signature and chain in it, unless trust is off. The seed replaces an older one that was not opened yet. On failure
 * the older seed stays. Content that is ignored is reported to on_log as a warning, on the calling thread.
 *
 * The next opening that finds no newer data makes the seed live, with origin REMORA_ORIGIN_CACHED, and removes it. If
 * there is a cache, the seed becomes live as the source's activation says. Sources that are open are not affected.
 * docs/seeding.md has the details.
 * @code
 * remora_seed_options seed;
 * REMORA_INIT(&seed);
 * seed.settings = &settings; // as the program opens them
 * remora_seed_request(&config, &seed, REMORA_SEED_URL, text, sizeof text, &length, &error);
 * download(text, "seed.json");
 * remora_seed_save(&config, &seed, "seed.json", &error);
 * @endcode
 * @param config  The configuration, of which storage_dir (a directory, not REMORA_STORAGE_MEMORY) and max_body_bytes
 *                count; for a collection also server and bucket.
 * @param options The source; must not be NULL.
 * @param file    The path of the downloaded file.
 * @return REMORA_OK; storage errors, REMORA_ERR_STORAGE also if another thread or process saves or removes a seed of
 *         the source for 5 s; document errors for the file; for a collection trust errors and REMORA_ERR_FUTURE.
 * Thread: any. Ownership: none. Blocking: for file system calls, and at most 5 s for another thread or process that
 * saves or removes a seed of the source. For a collection, for the running job; loads libraries.
 */
remora_status remora_seed_save(const remora_config *config, const remora_seed_options *options, const char *file,
                               remora_error *error);

/* ----------------------------------------------------------- host loop --- */

/** Gets the file descriptor that becomes readable when callbacks wait for remora_dispatch. Use it in select, poll and
    epoll, level- or edge-triggered. Never read, write or close it. It can be readable without a waiting callback.
    Remove it from the loop before remora_client_close. After fork() call the function again in the child: the
    descriptor of the parent is not valid there.
    @param client A client with REMORA_CALLBACKS_ON_DISPATCH; any other is an invalid argument.
    @param out_fd Receives the descriptor, the same at every call.
    Thread: any. Ownership: the client's. Blocking: no. */
remora_status remora_client_get_fd(remora_client *client, int32_t *out_fd, remora_error *error);

/** Runs the callbacks that were queued before the call. Callbacks that they queue run in the next call, so that the
    loop is not held up. A callback may close the client: then no further one runs, and the client must not be used
    again.
    @code
    int32_t fd = -1;
    remora_client_get_fd(client, &fd, &error);
    struct pollfd wait = {fd, POLLIN, 0};
    while (poll(&wait, 1, -1) > 0) remora_dispatch(client, NULL, NULL);
    @endcode
    @param client    A client with REMORA_CALLBACKS_ON_DISPATCH; any other is an invalid argument.
    @param out_count Receives the number of callbacks that have run. May be NULL.
    @return REMORA_OK, also if no callback was queued; REMORA_ERR_BUSY if another thread, or the calling callback, is
            inside this function with the same client.
    Thread: any, one at a time per client. Ownership: none. Blocking: only for the callbacks. */
remora_status remora_dispatch(remora_client *client, size_t *out_count, remora_error *error);

#ifdef __cplusplus
}
#endif

#endif /* REMORA_H */
