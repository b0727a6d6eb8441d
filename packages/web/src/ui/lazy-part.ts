import { retry } from "@switchyard/core/concurrency/retry"
import { type ComponentType, createElement, lazy, type ReactNode, Suspense } from "react"

const EVERY_MS = 1_500

const clock = { sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) }

/**
 * A component that is loaded when it is first rendered, with `fallback` in its place until then. During an outage,
 * however long, it just waits. It throws only if loading fails twice in a row although the server responds, because
 * then a new version has removed it. A single failure isn't enough, because the server may have just come back.
 */
export function lazyPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
  fallback: ReactNode | ((props: P) => ReactNode) = null,
): ComponentType<P> {
  const Part: ComponentType<P> = lazy(() => {
    let refusals = 0
    const task = async () => {
      try {
        return { default: await load() }
      } catch (error) {
        refusals = (await studioAnswers()) ? refusals + 1 : 0
        throw error
      }
    }
    return retry(task, { delayMs: () => (refusals < 2 ? EVERY_MS : undefined), clock })
  })
  return (props) => {
    const waiting = typeof fallback === "function" ? fallback(props) : fallback
    return createElement(Suspense, { fallback: waiting }, createElement(Part, props))
  }
}

/** Returns true if the server that served the page still serves the studio. */
export async function studioAnswers(): Promise<boolean> {
  const answer = await fetch("/", { method: "HEAD", cache: "no-store" }).catch(() => undefined)
  return answer?.ok ?? false
}
