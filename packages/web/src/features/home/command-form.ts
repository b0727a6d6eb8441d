/** A command that a team can use as a worker, as it is being typed. */
export interface CommandForm {
  id: number
  name: string
  command: string
  minutes: string
  network: boolean
}

const MOST_MINUTES = 360

/** Returns the commands in the format of a request; undefined while one is incomplete. */
export function requestedCommands(forms: readonly CommandForm[]) {
  const commands = forms.map(({ name, command, minutes, network }) => {
    const seconds = Math.round(Number(minutes) * 60)
    return { name: name.trim(), command: command.trim(), timeout_seconds: seconds, network }
  })
  const isComplete = commands.every(
    ({ name, command, timeout_seconds: seconds }) =>
      /^[a-z][a-z0-9-]{0,39}$/.test(name) && command !== "" && seconds >= 1 && seconds <= MOST_MINUTES * 60,
  )
  return isComplete ? commands : undefined
}
