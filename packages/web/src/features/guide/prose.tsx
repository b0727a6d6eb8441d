import type { ReactNode } from "react"

const prose =
  "leading-relaxed [&_h2]:mt-10 [&_h2]:mb-2 [&_h2]:scroll-mt-6 [&_h2]:text-lg [&_p]:my-3 [&_ul]:my-3 [&_ul]:list-disc [&_ul]:pl-5 [&_ol]:my-3 [&_ol]:list-decimal [&_ol]:pl-5 [&_li]:my-1 [&_li]:pl-1 marker:text-ink-3"

/** A page of prose. `aside` is shown next to it if there is room, or above it. */
export function Page({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const columns = aside ? "lg:grid-cols-[180px_minmax(0,68ch)] lg:gap-x-14" : ""
  return (
    <article
      data-region="main"
      tabIndex={-1}
      className={`grid grid-cols-[minmax(0,68ch)] justify-center px-6 pt-10 pb-24 max-md:px-4 max-md:pt-6 ${columns}`}
    >
      <h1 className="mb-2 text-2xl leading-tight lg:col-start-[-2]">{title}</h1>
      {aside && <div className="lg:row-span-2 lg:row-start-1">{aside}</div>}
      <div className={`lg:col-start-[-2] ${prose}`}>{children}</div>
    </article>
  )
}

export function A({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} className="text-accent underline underline-offset-2">
      {children}
    </a>
  )
}

export function Lines({ children }: { children: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it can be wider than the page, and keys must be able to scroll it
      tabIndex={0}
      className="my-3 overflow-x-auto [contain:inline-size] rounded-md border border-line bg-well px-4 py-3 font-mono text-sm leading-normal"
    >
      {children}
    </pre>
  )
}

export function Code({ children }: { children: ReactNode }) {
  return <code className="rounded-sm bg-well px-1 font-mono text-[0.9em]">{children}</code>
}
