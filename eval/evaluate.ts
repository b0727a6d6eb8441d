import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { UsageReport } from "@switchyard/core/people/usage/schema"
import { parseJson } from "@switchyard/core/text/parse-json"
import { Run } from "@switchyard/core/work/runs/schema"
import { missingFrom, type SearchedFile } from "@switchyard/core/work/workflow/proof/find-literals"
import { literalsIn } from "@switchyard/core/work/workflow/proof/literals"
import * as z from "zod"
import type { Case } from "./cases.ts"

/** Address of a Switchyard server. */
export interface Server {
  url: string
}

/** The result of one request of a case. */
export interface Step {
  case: string
  /** Position of the request in the case, from 1. */
  number: number
  status: Run["status"]
  /** Why the run failed, or null. */
  error: string | null
  /** The verdict of installing, building, testing and starting the project. Null if there is none. */
  checks: string | null
  /** Number of literal parts in all requests so far, and the parts that no file contains. */
  literals: number
  missing: string[]
  /** Requests to the model, and all of their tokens. */
  requests: number
  tokens: number
  costUsd: number | null
  seconds: number
}

/** Returns true if the project passes its checks and contains all literal parts of the requests. */
export function isPassed({ status, checks, missing }: Step): boolean {
  return status === "completed" && checks === "passed" && missing.length === 0
}

const WAIT_SECONDS = 20
const ENDS: ReadonlySet<string> = new Set<Run["status"]>(["completed", "failed", "cancelled"])
const Failure = z.object({ error: z.object({ message: z.string() }) })
const Files = z.object({ files: z.record(z.string(), z.string()) })

/**
 * Builds each case with a model, asks for its changes, and yields the result of each request. A case ends early if one of
 * its runs doesn't complete. Throws if the server refuses a request.
 */
export async function* evaluate(server: Server, model: string, cases: readonly Case[]): AsyncGenerator<Step> {
  for (const { name, requests } of cases) {
    let workspace: string | undefined
    for (const [index, request] of requests.entries()) {
      const run = await endOf(server, await start(server, { model, user_prompt: request, workspace_id: workspace }))
      workspace = run.workspace_id
      const wanted = requests.slice(0, index + 1).flatMap(literalsIn)
      const files = await filesOf(server, workspace)
      const usage = UsageReport.parse(await ask(server, "GET", `/api/v1/usage?group_by=run&run=${run.run_id}`))
      const { tokens, estimated_input, estimated_output, reports, cost_usd } = usage.total
      const known = Object.values(tokens).reduce<number>((sum, count) => sum + (count ?? 0), 0)
      yield {
        ...{ case: name, number: index + 1, status: run.status, error: run.error?.message ?? null },
        checks: run.verdict?.status ?? null,
        literals: wanted.length,
        missing: missingFrom(files, wanted).map(({ shown }) => shown),
        ...{ requests: reports, tokens: known + estimated_input + estimated_output, costUsd: cost_usd },
        seconds: (run.duration_ms ?? 0) / 1000,
      }
      if (run.status !== "completed") break
    }
  }
}

/** Starts a run that also runs the built project, and returns its ID. */
async function start(server: Server, body: { model: string; user_prompt: string; workspace_id?: string }) {
  return Run.parse(await ask(server, "POST", "/v1/runs", { ...body, check: true, consent: true })).run_id
}

async function endOf(server: Server, id: string): Promise<Run> {
  for (;;) {
    const run = Run.parse(await ask(server, "GET", `/v1/runs/${id}?wait=${WAIT_SECONDS}`))
    if (ENDS.has(run.status)) return run
  }
}

async function filesOf(server: Server, workspace: string): Promise<SearchedFile[]> {
  const { files } = Files.parse(await ask(server, "GET", `/workspace/files?workspace_id=${workspace}`))
  return Object.entries(files).map(([path, text]) => ({ path: workspacePath(path), text }))
}

async function ask({ url }: Server, method: string, path: string, body?: object): Promise<unknown> {
  const headers = { "content-type": "application/json" }
  const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} failed with ${response.status}: ${reasonIn(text)}`)
  return JSON.parse(text)
}

/** Returns the message of an error response, or its text if it has another form. */
function reasonIn(text: string): string {
  return Failure.safeParse(parseJson(text)).data?.error.message ?? text.slice(0, 500)
}
