import { loadConfig } from "@switchyard/functions/config"
import type { Stores } from "@switchyard/functions/local/local-core"
import { type LocalOptions, type LocalServer, startLocalServer } from "@switchyard/functions/local/server"
import { type Canaries, createCanaries } from "../canaries.ts"
import { temporaryFolder } from "./processes.ts"

export interface InProcess extends AsyncDisposable {
  /** Its `stop` may be called any number of times. */
  server: LocalServer
  folder: string
  /** The keys that belong in no file of a folder of its own, which is looked through in the end. */
  canaries: Canaries
  /** The stores themselves, whatever stands around them. */
  stores: Stores
  /** What the server reported, but for what it was in the middle of when it stopped. */
  reported: unknown[]
}

/** The product as a server in this very process, so that a test can stand between it and its stores. */
export async function serveHere({
  env = {},
  ...options
}: Partial<LocalOptions> & { folder?: string; env?: Record<string, string> } = {}): Promise<InProcess> {
  const own = options.folder === undefined ? await temporaryFolder() : undefined
  const canaries = own?.canaries ?? createCanaries()
  canaries.note(env)
  const folder = options.folder ?? own?.path ?? ""
  const reported: unknown[] = []
  let stores: Stores | undefined
  const server = await startLocalServer(
    loadConfig({ PORT: "0", SWITCHYARD_DATA: folder, WORKFLOW_REVIEW: "0", ...env }),
    {
      version: "0",
      report: (error) => void (isAbort(error) || reported.push(error)),
      ...options,
      wrapStores(inner) {
        stores = inner
        return options.wrapStores?.(inner) ?? inner
      },
    },
  )
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= server.stop())
  return {
    server: { ...server, stop },
    folder,
    canaries,
    stores: stores as unknown as Stores,
    reported,
    async [Symbol.asyncDispose]() {
      await stop()
      await own?.[Symbol.asyncDispose]()
    },
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError"
}
