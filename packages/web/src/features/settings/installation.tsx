import { Link } from "wouter"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { isolationLabel } from "./agent-isolation.ts"

/** Information about this installation, and links to more. */
export function Installation() {
  const { config, api } = useStudio()
  const isolation = isolationLabel(config.agents)
  const [provider, ...model] = config.default_model.split("/")
  const link = "text-ink-2 underline decoration-line underline-offset-2 hover:text-ink hover:decoration-strong"
  return (
    <section aria-label="This installation" className="text-xs text-ink-3">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5">
        <dt>Version</dt>
        <dd className="nums">{config.version}</dd>
        <dt>Environment</dt>
        <dd>{config.app_env}</dd>
        <dt>Model</dt>
        <dd className="font-mono wrap-anywhere">
          {provider}/<wbr />
          {model.join("/")}
        </dd>
        {isolation && (
          <>
            <dt>Agents</dt>
            <dd>{isolation}</dd>
          </>
        )}
      </dl>
      <p className="mt-2 flex flex-wrap gap-x-3 gap-y-1">
        <Link href={paths.guide()} className={link}>
          Guide
        </Link>
        <a href={api.page("/api/docs")} className={link}>
          API
        </a>
        <Link href={paths.about()} className={link}>
          About
        </Link>
        <Link href={paths.connect()} className={link}>
          Server
        </Link>
      </p>
    </section>
  )
}
