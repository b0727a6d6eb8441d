import { PushedSession } from "@switchyard/core/sessions/forges/push-schema"
import { formatCount } from "@switchyard/core/text/format"
import { useState } from "react"
import { useChange } from "../../session/context/requests.ts"
import { paths } from "../../session/context/routes.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/checkbox.tsx"
import { Dialog, FormDialog } from "../../ui/dialog.tsx"
import { Field } from "../../ui/field.tsx"
import { ErrorNotice } from "../../ui/notice.tsx"
import { TextLink } from "../../ui/text-link.tsx"

/** Pushes the shown session's files to a new or existing repository. */
export function PushDialog({ onClose }: { onClose(): void }) {
  const { sessionId: id } = useShownSession()
  const [url, setUrl] = useState("")
  const [branch, setBranch] = useState("")
  const [isPrivate, setPrivate] = useState(true)
  const push = useChange((api) => {
    const body = { url: url.trim(), branch: branch.trim() || undefined, private: isPrivate }
    return api.call("POST /api/v1/sessions/{id}/push", { path: { id }, body, response: PushedSession })
  })
  if (push.data) return <Pushed pushed={push.data} onClose={onClose} />
  return (
    <FormDialog
      title="Push to a repository"
      action={push.isPending ? "Pushing…" : "Push"}
      blocked={url.trim() === "" || push.isPending}
      onSubmit={() => push.mutate()}
      onClose={onClose}
    >
      <p className="text-ink-2">
        Pushes your files as a single commit: to the main branch of a new repository, or to a new branch with a pull
        request in an existing one.
      </p>
      <ErrorNotice error={push.error} />
      <Field
        label="Repository"
        value={url}
        placeholder="https://github.com/you/app"
        verbatim
        onChange={setUrl}
        hint={
          <>
            Enter a GitHub, GitLab or Gitea URL. Manage your tokens in{" "}
            <TextLink href={paths.settings("git-hosts")}>Git hosts</TextLink>.
          </>
        }
      />
      <Field
        label="Branch"
        value={branch}
        verbatim
        onChange={setBranch}
        hint="Applies to existing repositories. Leave empty to use the session's name."
      />
      <Checkbox label="Make the repository private if it's new" value={isPrivate} onChange={setPrivate} />
    </FormDialog>
  )
}

function Pushed({ pushed, onClose }: { pushed: PushedSession; onClose(): void }) {
  const { url, created, branch, version, file_count, left_out, pull_request, pull_request_error } = pushed
  const address = pull_request?.url ?? url
  return (
    <Dialog
      title="Pushed"
      onClose={onClose}
      actions={
        <Button tone="primary" onClick={onClose} data-autofocus>
          Done
        </Button>
      }
    >
      <p className="break-words">
        Pushed version {version} ({formatCount(file_count, "file")}) to branch {branch}
        {created ? " in the new repository" : ""}.
      </p>
      <p className="mt-2">
        <a
          href={address}
          target="_blank"
          rel="noopener noreferrer"
          className="break-all text-accent underline underline-offset-2"
        >
          {pull_request ? `Pull request ${pull_request.number}` : url}
        </a>
      </p>
      {pull_request_error !== null && (
        <p className="mt-3 break-words">Couldn't open a pull request: {pull_request_error}</p>
      )}
      {left_out.length > 0 && (
        <p className="mt-3 text-sm text-ink-3 break-words">
          Didn't push files that may contain secrets: {left_out.join(", ")}
        </p>
      )}
    </Dialog>
  )
}
