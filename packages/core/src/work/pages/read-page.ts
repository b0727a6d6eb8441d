import { createThread } from "../../concurrency/thread.ts"
import { AppError } from "../../errors.ts"
import type { ChatPage } from "../chat/schema.ts"
import type { FetchPage } from "./fetch-page.ts"
import type { PageFunctions } from "./thread-entry.ts"

/** Deadline for the text of one page. Normal pages take less than 0.1 s. */
const WITHIN_MS = 30_000

const call = createThread<PageFunctions>(() => import("./thread-entry.ts"), { withinMs: WITHIN_MS })

/** Reads one page for the model. If that fails, returns the reason as the page's `error`. */
export async function readPage(
  { fetchPage }: { fetchPage: FetchPage },
  url: string,
  signal: AbortSignal,
): Promise<ChatPage> {
  const failed = (error: string) => ({ url, title: "", text: "", error })
  try {
    const page = await call("pageText", await fetchPage(sourceOf(url), { signal }))
    return page ? { url, ...page, error: null } : failed("The page can't be parsed, or parsing takes too long.")
  } catch (error) {
    signal.throwIfAborted()
    return failed(error instanceof AppError ? error.message : "The page couldn't be read.")
  }
}

/** Returns the raw URL of a file shown on a GitHub page. */
function sourceOf(url: string): string {
  const [, repository, file] = /^https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\/blob\/([^?#]+)/.exec(url) ?? []
  return file ? `https://raw.githubusercontent.com/${repository}/${file}` : url
}
