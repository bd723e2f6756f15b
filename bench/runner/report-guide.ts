/** The part of docs/benchmarks.md that does not come from results. */
export const GUIDE = `Written by \`npm run bench -- all --write\` from \`bench/results.jsonl\` and \`bench/gates.json\`.

\`\`\`
npm run bench -- all --quick       # everything, small: under ten minutes, also on a busy machine
npm run bench -- all --write       # everything, in full, for this page: on a machine with nothing else to do
npm run bench -- ingest --peer supabase
npm run bench -- --help
\`\`\`

Standard output has lines of JSON, for each benchmark one for the run and one for each figure; standard error has the
progress and what each gate came to. A missed gate makes the exit code 1.

- **Pairs.** Recoup and what is next to it run in turns, after a round that is not counted. A ratio is the median of the
  pairs' ratios; runs of different days are never compared. A pair is void when other processes use more than half a core
  at its start; it is measured again. \`--quick\` and \`--loud\` count such pairs, and say so. \`--quick\` runs one pair and
  no round before it.
- **Two clocks.** Wall time, and processor time of the measured process with that of every Postgres process.
- **Fresh databases.** Each pass begins with a fresh, never-analysed copy of one database, after a checkpoint, on a
  Postgres with fsync on.
- **The same PSP for everybody.** A simulated Stripe in its own process has its pages serialised beforehand, on loopback.
  It expands nothing: Recoup's request for charges is answered with the same bytes as the peers' requests.
- **Peers** are installed on first use into \`.recoup/bench-peers\`, never into Recoup's dependencies. What can't be
  installed is skipped loudly and leaves its rows unproven.
- **The whole service.** \`actions\`, \`overtake\` and \`durable\` run API, worker and a Temporal dev server in memory as
  processes: their ratios and counts hold, their rates do not ([decision 52](decisions/0052-benchmarks-of-the-service.md)).
  \`cluster\` runs several workers and APIs with a Temporal server that keeps everything in Postgres.
- **Fairness.** The peers keep two indexes and no tenant columns, Recoup seals what is personal and writes a timeline. The
  peers say \`RETURNING *\`. dlt's figures include the start of its pipeline. The simulator shares the machine with all.
- Recoup's rate bucket is used but never empty, because the PSP's rate limit is not measured, except by \`overtake\`,
  \`durable\`, \`cluster\` and \`actions\`, which run the product as it is, and by \`rtt100\`, which sets
  \`RECOUP_PSP_REQUESTS_PER_SECOND=stripe=23\`. By default Recoup sends ten requests a second of the 25 that Stripe allows.

The counters (round trips, requests, statements, actions) are the same in every run: \`npm test\` compares them with the
\`ceiling\` of their row in \`bench/gates.json\`, today's value, so that they never get worse.`
