import { type FormEvent, useState } from "react"
import { useBrowser, useStudio, useToast } from "../../session/context/studio.ts"
import { Button } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/checkbox.tsx"
import { SecretField } from "../../ui/secret-field.tsx"

/** The key of a model's provider: typed in, remembered or not, and forgotten. `told`: who pays as things are. */
export function ModelKeyForm({ onSaved, told = true }: { onSaved?(): void; told?: boolean }) {
  const { keys } = useStudio()
  const toast = useToast()
  const has = useBrowser((state) => state.hasModelKey)
  const [key, setKey] = useState("")
  const [remember, setRemember] = useState(() => keys.remembers())
  const [error, setError] = useState<string | null>(null)

  const save = (event: FormEvent) => {
    event.preventDefault()
    const wrong = keyFault(key)
    setError(wrong)
    if (wrong) return
    keys.save(key, remember)
    setKey("")
    toast(remember ? "Key kept in this browser." : "Key kept until this tab is closed.", "ok")
    onSaved?.()
  }

  const forget = () => {
    keys.save("", false)
    setRemember(false)
    toast("Key forgotten.", "ok")
  }

  return (
    <form onSubmit={save} noValidate className="flex flex-col gap-4">
      {told && <WhoPays />}
      <SecretField
        label={has ? "Another key" : "Key of the model's provider"}
        value={key}
        onChange={(event) => setKey(event.target.value)}
        autoComplete="off"
        placeholder={has ? "Takes the place of the one that is kept" : "gsk_…, sk-…"}
        error={error}
      />
      <Remember checked={remember} onChange={setRemember} />
      <p className="text-sm text-ink-3">
        Free keys allow few tokens a minute. A large prompt or a project of many files can run into that: the run then
        waits, or says so, and can be started again a minute later.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="primary" disabled={key.trim() === ""}>
          Keep the key
        </Button>
        {has && <Button onClick={forget}>Forget the one that is kept</Button>}
      </div>
    </form>
  )
}

/** What is wrong with a key before anybody has tried it, if it is. */
function keyFault(key: string): string | null {
  if (key.trim() === "") return "Paste a key first."
  return /^[\x21-\x7e]+$/.test(key.trim()) ? null : "A key has no spaces, line breaks or other such characters."
}

function WhoPays() {
  const { config, keys } = useStudio()
  const has = useBrowser((state) => state.hasModelKey)
  const model = <span className="font-mono text-sm">{config.default_model}</span>
  if (has) {
    return (
      <p>
        This browser sends a key of yours with each run that you start. It is kept{" "}
        {keys.remembers() ? "in this browser until you forget it." : "until this tab is closed."}
      </p>
    )
  }
  if (config.demo) {
    return (
      <p>
        You don't need one to look around: without a key, runs use {model}. It is a script that builds small projects by
        rule, not a language model.
      </p>
    )
  }
  return <p>Without a key of yours, the server uses its own, if it has one, for {model}.</p>
}

function Remember({ checked, onChange }: { checked: boolean; onChange(checked: boolean): void }) {
  return (
    <Checkbox
      label="Remember it in this browser"
      hint="It then stays in this browser's storage, readable to whoever uses this profile, until you forget it here. Otherwise it is gone with this tab. The server holds it sealed while a run needs it, and erases it when the run ends."
      checked={checked}
      onChange={onChange}
    />
  )
}
