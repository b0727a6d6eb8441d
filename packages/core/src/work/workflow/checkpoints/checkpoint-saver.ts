import type { RunnableConfig } from "@langchain/core/runnables"
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  compareWritesSortKeys,
  getCheckpointId,
  maxChannelVersion,
  type PendingWrite,
  TASKS,
  WRITES_IDX_MAP,
  writesSortKey,
} from "@langchain/langgraph-checkpoint"
import { type CheckpointRef, type CheckpointStoreDeps, createCheckpointStore } from "./checkpoints.ts"

/**
 * A stored checkpoint: the values of the channels that it changed, and references to the values of all other channels.
 */
interface StoredCheckpoint {
  checkpoint: Omit<Checkpoint, "channel_values">
  metadata: CheckpointMetadata
  parent: string | null
  values: Record<string, unknown>
  /** By channel, the ID of the earlier checkpoint that contains the channel's value. */
  sources: Record<string, string>
}

interface StoredWrite {
  idx: number
  channel: string
  value: unknown
  taskPath: string
}

/**
 * Creates a LangGraph checkpoint saver that stores records and blobs. A channel's value is stored only once, in the
 * checkpoint that set it, so a checkpoint takes only as much space as its changes. All threads of a saver share one
 * partition.
 */
export function createCheckpointSaver(deps: CheckpointStoreDeps): BaseCheckpointSaver {
  return new RecordsSaver(deps)
}

class RecordsSaver extends BaseCheckpointSaver {
  readonly #store

  constructor(deps: CheckpointStoreDeps) {
    super()
    this.#store = createCheckpointStore(deps, this.serde)
  }

  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread_id: thread, checkpoint_ns: ns = "" } = config.configurable ?? {}
    if (thread === undefined) return undefined
    const id = getCheckpointId(config) || (await this.#store.newest(thread, ns))
    return id ? this.#tuple({ thread, ns, id }) : undefined
  }

  async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id } = config.configurable ?? {}
    const before = options.before?.configurable?.checkpoint_id
    let left = options.limit ?? Number.POSITIVE_INFINITY
    for await (const ref of this.#store.refs(thread, ns)) {
      if (left <= 0) return
      if ((id && ref.id !== id) || (before && ref.id >= before)) continue
      const tuple = await this.#tuple(ref)
      if (!tuple || !matchesFilter(tuple.metadata, options.filter)) continue
      left--
      yield tuple
    }
  }

  async put(
    config: RunnableConfig,
    { channel_values: all, ...checkpoint }: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { thread_id: thread, checkpoint_ns: ns = "", checkpoint_id: parent = null } = config.configurable ?? {}
    if (thread === undefined) throw new Error("A checkpoint needs a thread_id.")
    const before = parent === null ? undefined : await this.#store.read<StoredCheckpoint>({ thread, ns, id: parent })
    // The parent may be deleted while its graph is still running. In that case, store all values.
    const orphan = parent !== null && !before
    const isStored = ([channel]: [string, unknown]) => orphan || channel in newVersions
    const values = Object.fromEntries(Object.entries(all).filter(isStored))
    const others = Object.keys(all).filter((channel) => !(channel in values))
    const sources = before && parent !== null ? sourcesOf(others, before, parent) : {}
    const ref = { thread, ns, id: checkpoint.id }
    await this.#store.write(ref, { checkpoint, metadata, parent, values, sources } satisfies StoredCheckpoint)
    return configOf(ref)
  }

  async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath = ""): Promise<void> {
    const { thread_id: thread, checkpoint_ns: ns = "", checkpoint_id: id } = config.configurable ?? {}
    if (thread === undefined || id === undefined) throw new Error("Writes need a thread_id and a checkpoint_id.")
    const added = writes.map(([channel, value], index) => {
      return { idx: WRITES_IDX_MAP[channel] ?? index, channel, value, taskPath }
    })
    await this.#store.merge<StoredWrite[]>({ thread, ns, id }, taskId, (current = []) => mergeWrites(current, added))
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.#store.removeThread(threadId)
  }

  async #tuple(ref: CheckpointRef): Promise<CheckpointTuple | undefined> {
    const stored = await this.#store.read<StoredCheckpoint>(ref)
    const values = stored && (await this.#values(ref, stored))
    // A checkpoint is unusable if one of its values is missing.
    if (!stored || !values) return undefined
    const checkpoint: Checkpoint = { ...stored.checkpoint, channel_values: values }
    const parent = stored.parent === null ? undefined : { ...ref, id: stored.parent }
    if (checkpoint.v < 4 && parent) await this.#movePendingSends(checkpoint, parent)
    return {
      config: configOf(ref),
      checkpoint,
      metadata: stored.metadata,
      ...(parent && { parentConfig: configOf(parent) }),
      pendingWrites: await this.#pendingWrites(ref),
    }
  }

  async #values(
    ref: CheckpointRef,
    { values, sources }: StoredCheckpoint,
  ): Promise<Record<string, unknown> | undefined> {
    const found = { ...values }
    const holders = Map.groupBy(Object.entries(sources), ([, id]) => id)
    for (const [id, channels] of holders) {
      const holder = await this.#store.read<StoredCheckpoint>({ ...ref, id })
      if (!holder) return undefined
      for (const [channel] of channels) found[channel] = holder.values[channel]
    }
    return found
  }

  async #pendingWrites(ref: CheckpointRef): Promise<CheckpointPendingWrite[]> {
    const tasks = await Array.fromAsync(this.#store.merged<StoredWrite[]>(ref))
    return tasks
      .flatMap(({ name, value }) => value.map((write) => ({ task: name, ...write })))
      .sort((a, b) => compareWritesSortKeys(sortKey(a), sortKey(b)))
      .map(({ task, channel, value }) => [task, channel, value])
  }

  /** Copies messages to tasks from the parent's writes, where they were stored before version 4 of the format. */
  async #movePendingSends(checkpoint: Checkpoint, parent: CheckpointRef): Promise<void> {
    const writes = await this.#pendingWrites(parent)
    checkpoint.channel_values[TASKS] = writes.filter(([, channel]) => channel === TASKS).map(([, , value]) => value)
    const versions = Object.values(checkpoint.channel_versions)
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined)
  }
}

function sourcesOf(channels: string[], before: StoredCheckpoint, parent: string): Record<string, string> {
  const sources = channels.map((channel) => [channel, channel in before.values ? parent : before.sources[channel]])
  return Object.fromEntries(sources.filter(([, id]) => id !== undefined))
}

/**
 * Merges a task's writes. If the task writes again, its first writes take precedence. Only special writes, such as
 * errors, are replaced.
 */
function mergeWrites(current: StoredWrite[], added: StoredWrite[]): StoredWrite[] {
  const remaining = current.filter(({ idx }) => idx >= 0 || !added.some((write) => write.idx === idx))
  return [...remaining, ...added.filter(({ idx }) => !remaining.some((write) => write.idx === idx))]
}

function sortKey({ taskPath, task, idx }: StoredWrite & { task: string }) {
  return writesSortKey(taskPath, task, idx)
}

function configOf({ thread, ns, id }: CheckpointRef): RunnableConfig {
  return { configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id } }
}

function matchesFilter(metadata: CheckpointMetadata | undefined, filter: Record<string, unknown> = {}): boolean {
  const fields: Record<string, unknown> = { ...metadata }
  return Object.entries(filter).every(([field, wanted]) => fields[field] === wanted)
}
