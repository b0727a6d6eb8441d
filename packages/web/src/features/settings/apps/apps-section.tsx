import { PublishedApp } from "@switchyard/core/sessions/apps/schema"
import { formatBytes, formatCount } from "@switchyard/core/text/format"
import * as z from "zod"
import { useResponse } from "../../../session/context/requests.ts"
import { paths } from "../../../session/context/routes.ts"
import { TextLink } from "../../../ui/text-link.tsx"
import { dayOf } from "../../../ui/time.ts"
import { useWithdrawal, withdrawalText } from "../../publish/use-session-app.ts"
import { CrudSection } from "../list/crud-section.tsx"
import { EntryText } from "../list/entry-text.tsx"

const Apps = z.object({ apps: z.array(PublishedApp) })

/** The user's published apps. */
export function AppsSection() {
  const list = useResponse(["apps"], "GET /api/v1/apps", { response: Apps })
  const withdraw = useWithdrawal()
  return (
    <CrudSection
      title="Published apps"
      isPage
      hint="Anyone with the link can open these apps. To publish an app, open its session and select Publish."
      list={list}
      entries={list.data?.apps}
      empty="No published apps."
      keyOf={({ name }) => name}
      nameOf={({ name }) => name}
      row={(app) => <AppRow app={app} />}
      removal={{
        action: "Unpublish",
        text: withdrawalText,
        remove: ({ name }, options) => withdraw.mutate(name, options),
        mutation: withdraw,
      }}
    />
  )
}

function AppRow({ app }: { app: PublishedApp }) {
  const { name, url, session_id, session_name, version, file_count, size_bytes, published_at } = app
  const facts = [`version ${version}`, formatCount(file_count, "file"), formatBytes(size_bytes), dayOf(published_at)]
  return (
    <EntryText name={name} facts={facts.join(" · ")}>
      {url !== null && (
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          className="block text-sm break-all text-accent underline underline-offset-2"
        >
          {url}
        </a>
      )}
      <p className="text-sm text-ink-3">
        From{" "}
        <TextLink href={paths.session(session_id)} className="break-words">
          {session_name}
        </TextLink>
      </p>
    </EntryText>
  )
}
