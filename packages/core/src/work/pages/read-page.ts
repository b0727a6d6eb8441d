import { AppError } from "../../errors.ts"
import type { FetchPage } from "./fetch-page.ts"
import { pageText } from "./page-text.ts"

/** A page as a model is shown it. */
export interface ReadPage {
  /** The address that was asked for. */
  url: string
  title: string
  text: string
  /** The reason why it could not be read. */
  error: string | null
}

/** Reads one page for the model; what kept it from that is its `error`. */
export async function readPage(
  { fetchPage }: { fetchPage: FetchPage },
  url: string,
  signal: AbortSignal,
): Promise<ReadPage> {
  try {
    const { title, text } = await pageText(await fetchPage(sourceOf(url), { signal }))
    return { url, title, text, error: null }
  } catch (error) {
    signal.throwIfAborted()
    const reason = error instanceof AppError ? error.message : "The page can't be read."
    return { url, title: "", text: "", error: reason }
  }
}

/** The address of a file's own text, where the page of a forge shows it in a frame of its own. */
function sourceOf(url: string): string {
  const [, repository, file] = /^https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\/blob\/([^?#]+)/.exec(url) ?? []
  return file ? `https://raw.githubusercontent.com/${repository}/${file}` : url
}
