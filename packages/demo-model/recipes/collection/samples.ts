type FieldType = "text" | "number" | "date"

/** The fields of a sample. The first is required, the others are optional. */
export const fields: Record<string, FieldType> = {
  caption: "text",
}

/** The items in a new list. */
export const starters: string[] = []

export interface Sample {
  id: string
  flagged: boolean
  createdAt: string
  [field: string]: string | number | boolean
}

type Values = Record<string, unknown>

/** Opens the saved list, or a new one. */
export function openSamples(saved?: Sample[]) {
  const samples = createSamples(saved)
  if (!saved) for (const starter of starters) samples.add({ caption: starter })
  return samples
}

/** A list of samples in memory. `saved` is what `list()` returned earlier. */
export function createSamples(saved: Sample[] = []) {
  const samples = new Map(saved.map((sample) => [sample.id, sample]))
  let lastId = Math.max(0, ...saved.map(({ id }) => Number(id)))

  return {
    list(): Sample[] {
      return [...samples.values()]
    },

    get(id: string): Sample | undefined {
      return samples.get(id)
    },

    add(values: Values): Sample {
      const noted = readFields(values)
      lastId += 1
      const sample: Sample = { id: String(lastId), ...noted, flagged: false, createdAt: new Date().toISOString() }
      samples.set(sample.id, sample)
      return sample
    },

    /** Changes the fields that `values` names. */
    change(id: string, values: Values): Sample | undefined {
      const sample = samples.get(id)
      return sample && Object.assign(sample, readFields({ ...sample, ...values }))
    },

    /** Turns `flagged` on, and off again the next time. */
    flag(id: string): Sample | undefined {
      const sample = samples.get(id)
      if (sample) sample.flagged = !sample.flagged
      return sample
    },

    remove(id: string): boolean {
      return samples.delete(id)
    },
  }
}

/** A sample as one line of text. */
export function describe(sample: Sample): string {
  const values = Object.keys(fields).map((name) => sample[name] ?? "")
  return values.filter((value) => value !== "").join(" · ")
}

/** A summary of the list. */
export function summary(list: Sample[]): string {
  if (list.length === 0) return "No samples yet."
  return list.length === 1 ? "1 sample" : `${list.length} samples`
}

/** Checks the values, and drops those that aren't fields. */
function readFields(values: Values): Record<string, string | number> {
  const read = Object.entries(fields).map(([name, type]) => [name, readField(name, type, values[name] ?? "")])
  return Object.fromEntries(read)
}

function readField(name: string, type: FieldType, value: unknown): string | number {
  if (typeof value !== "string" && typeof value !== "number") throw new Error(`Send ${name} as text.`)
  const text = String(value).trim()
  if (text === "" && name === Object.keys(fields)[0]) throw new Error(`${name} is missing.`)
  if (text === "" || type === "text") return text
  if (type === "number") {
    if (!Number.isFinite(Number(text))) throw new Error(`${name} must be a number.`)
    return Number(text)
  }
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) throw new Error(`${name} must be a date such as 2026-12-31.`)
  return text
}
