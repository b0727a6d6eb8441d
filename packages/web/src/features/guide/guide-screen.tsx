import { type ReactNode, useEffect } from "react"
import { Chapters, chapters } from "./chapters.tsx"
import { Page } from "./prose.tsx"

export function GuideScreen() {
  useEffect(() => {
    // The browser looked for the URL's fragment before the page was rendered, so scroll to it now.
    document.getElementById(location.hash.slice(1))?.scrollIntoView()
  }, [])
  return (
    <Page title="Guide" aside={<Contents />}>
      <Chapters />
    </Page>
  )
}

function Contents() {
  return (
    <nav
      aria-label="On this page"
      className="text-sm max-lg:mt-2 max-lg:border-y max-lg:border-line max-lg:py-1 lg:sticky lg:top-10"
    >
      <ol className="border-line max-lg:grid max-lg:grid-cols-2 lg:border-l">
        {chapters.map(({ id, title }) => (
          <li key={id}>
            <Jump to={id}>{title}</Jump>
          </li>
        ))}
      </ol>
    </nav>
  )
}

function Jump({ to, children }: { to: string; children: ReactNode }) {
  return (
    <a
      href={`#${to}`}
      className="block py-1.5 text-ink-2 hover:text-ink max-lg:min-h-11 max-lg:py-3 lg:-ml-px lg:border-l lg:border-transparent lg:pl-4 lg:hover:border-accent"
    >
      {children}
    </a>
  )
}
