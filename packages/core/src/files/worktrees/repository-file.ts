import type * as z from "zod"
import { createThread } from "../../concurrency/thread.ts"
import type { SetupFunctions } from "./thread-entry.ts"

/** Maximum size of a repository's file for Switchyard, which is far above the size of any sensible one. */
export const MAX_REPOSITORY_FILE_BYTES = 16 * 1024

const WITHIN_MS = 5000
/** Calls a parser of such files in a thread. Returns undefined if it crashes or takes too long. */
export const callThread = createThread<SetupFunctions>(() => import("./thread-entry.ts"), { withinMs: WITHIN_MS })

/** Parses a YAML file in a repository. Returns a fault that names the line and the field if the file is wrong. */
export async function parseRepositoryFile<T>(
  schema: z.ZodType<T>,
  text: string,
): Promise<{ value: T } | { fault: string }> {
  const yaml = (await callThread("readYaml", text)) ?? { fault: "It isn't valid YAML." }
  if ("fault" in yaml) return yaml
  const parsed = schema.safeParse(yaml.value)
  if (parsed.success) return { value: parsed.data }
  const { path = [], message = "" } = parsed.error.issues[0] ?? {}
  const fault = path.length > 0 ? `\`${path.join(".")}\`: ${message}` : message
  const line = path
    .map((_, index) => yaml.lineOf[JSON.stringify(path.slice(0, index + 1))])
    .findLast((found) => found !== undefined)
  return { fault: line === undefined ? fault : `Line ${line}, ${fault}` }
}
