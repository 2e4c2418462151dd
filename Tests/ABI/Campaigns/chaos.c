/* SPDX-License-Identifier: Apache-2.0 */

/* The chaos campaign: threads that close things against each other.
 *
 * chaos SECONDS [SEED]: for a third of the time, two threads close a client and its sources at the same moment, again
 * and again. Then eight threads call all functions at random, over handles that all of them share. Clients, sources,
 * subscriptions, requests, keys, snapshots and attachments are closed while other threads use other handles of the same
 * objects, and callbacks close them too. A transport of the host answers the requests, so no socket exists. Each
 * callback's user data must be freed once. Memory errors are found by the sanitizers, or end the program. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "chaos_duel.h"
#include "chaos_host.h"
#include "fixture.h"

enum { THREADS = 8, HANG_SECONDS = 120, CLOSERS = 2 };

static int64_t until_ms;
static int64_t operations; /* Atomic. */

static void *act(void *seed) {
  int64_t done = 0;
  draw_from((unsigned)(uintptr_t)seed);
  while (now_ms() < until_ms) {
    chaos_act();
    done++;
  }
  __atomic_add_fetch(&operations, done, __ATOMIC_SEQ_CST);
  return NULL;
}

static void *close_things(void *seed) {
  draw_from((unsigned)(uintptr_t)seed);
  while (now_ms() < until_ms) chaos_close_something();
  return NULL;
}

int main(int argc, char **argv) {
  char directory[64];
  pthread_t threads[THREADS];
  int64_t seconds = argc > 1 ? strtoll(argv[1], NULL, 10) : 0;
  unsigned seed = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : (unsigned)now_ms();
  if (seconds <= 0 || argc > 3) {
    fprintf(stderr, "usage: chaos SECONDS [SEED]\n");
    return 2;
  }
  alarm((unsigned)seconds + HANG_SECONDS); /* A deadlock ends the program by SIGALRM. */
  temporary_directory(directory);
  chaos_directory = directory;
  slots_init(clients, CLIENTS);
  slots_init(sources, SOURCES);
  slots_init(subscriptions, SUBSCRIPTIONS);
  slots_init(requests, REQUESTS);
  slots_init(snapshots, SNAPSHOTS);
  slots_init(keys, KEYS);
  slots_init(attachments, ATTACHMENTS);
  int64_t duels = duel_fight(now_ms() + seconds * 1000 / 3, seed);
  until_ms = now_ms() + seconds * 1000 * 2 / 3;
  for (uintptr_t i = 0; i < THREADS; i++)
    REQUIRE(pthread_create(&threads[i], NULL, i < CLOSERS ? close_things : act, (void *)(seed + i)) == 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  /* Callbacks may still use handles, which are then closed in a later round. */
  chaos_is_over();
  int64_t deadline = now_ms() + PATIENCE_MS;
  do chaos_close_all();
  while (data_left() && now_ms() < deadline && poll(NULL, 0, 20) == 0);
  if (data_left()) {
    fprintf(stderr, "chaos: user data of the %s was not freed\n", data_left());
    chaos_faults++;
  }
  remove_directory(directory);
  printf("%lld s, seed %u, %lld operations, %lld duels, %d faults\n", (long long)seconds, seed, (long long)operations,
         (long long)duels, chaos_faults);
  return chaos_faults ? EXIT_FAILURE : EXIT_SUCCESS;
}
