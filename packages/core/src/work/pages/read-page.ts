import { createThread } from "../../concurrency/thread.ts"
import { AppError } from "../../errors.ts"
import type { ChatPage } from "../chat/schema.ts"
import type { FetchedPage, FetchPage } from "./fetch-page.ts"
import type { PageFunctions } from "./thread-entry.ts"

/** Time limit for extracting the text of one page. Normal pages take less than 0.1 s. */
const WITHIN_MS = 30_000

const call = createThread<PageFunctions>(() => import("./thread-entry.ts"), { withinMs: WITHIN_MS })

/**
 * Reads one page for the model. For a GitHub repository, reads its README instead. If reading fails, returns the reason
 * as the page's `error`.
 */
export async function readPage(
  { fetchPage }: { fetchPage: FetchPage },
  url: string,
  signal: AbortSignal,
): Promise<ChatPage> {
  const failed = (error: string) => ({ url, title: "", text: "", error })
  try {
    const readme = await readmeOf(url, fetchPage, signal)
    const page = await call("pageText", readme ?? (await fetchPage(sourceOf(url), { signal })))
    if (!page) return failed("The page can't be parsed, or parsing takes too long.")
    return { url, ...page, ...(readme && { text: `${onlyReadme(url)}\n\n${page.text}` }), error: null }
  } catch (error) {
    signal.throwIfAborted()
    return failed(error instanceof AppError ? error.message : "The page couldn't be read.")
  }
}

/**
 * Fetches the README of the GitHub repository at this URL. Returns undefined for other pages, or if the repository has
 * no README.
 */
async function readmeOf(url: string, fetchPage: FetchPage, signal: AbortSignal): Promise<FetchedPage | undefined> {
  const [, repository] = /^https:\/\/github\.com\/([\w.-]+\/[\w.-]+?)(?:\.git)?\/?(?:[?#].*)?$/.exec(url) ?? []
  if (!repository) return undefined
  try {
    return await fetchPage(`https://raw.githubusercontent.com/${repository}/HEAD/README.md`, { signal })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return undefined
  }
}

function onlyReadme(url: string): string {
  return `[${url} is a repository. This is only its README. Its other files weren't read: to read them, give the URL of a file, or open a session on the repository, which clones it.]`
}

/** Returns the raw URL of a file shown on a GitHub page. */
function sourceOf(url: string): string {
  const [, repository, file] = /^https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\/blob\/([^?#]+)/.exec(url) ?? []
  return file ? `https://raw.githubusercontent.com/${repository}/${file}` : url
}
