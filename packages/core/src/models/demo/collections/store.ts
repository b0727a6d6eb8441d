import type { ModuleSource } from "../module.ts"
import { capitalised, quoted, source } from "../source.ts"
import type { Collection } from "./collection.ts"

/** The store of a collection: an object of five functions around a map. */
export function scriptStore({ noun, plural, field, examples, mark }: Collection): ModuleSource {
  const [Noun, Plural] = [capitalised(noun), capitalised(plural)]
  const flag = mark.kind === "flag"
  const module = source`
    ‹export interface ${Noun} {
      id: string
      ${field}: string
      ${mark.field}: ${flag ? "boolean" : "number"}
      createdAt: string
    }

    export type ${Plural} = ReturnType<typeof create${Plural}>

    ›/** A list of ${plural} in memory. It begins with those that an earlier \`list()\` gave. */
    export function create${Plural}(saved‹: ${Noun}[]› = []) {
      const ${plural} = new Map(saved.map((${noun}) => [${noun}.id, ${noun}]))
      let lastId = Math.max(0, ...saved.map(({ id }) => Number(id)))

      return {
        list()‹: ${Noun}[]› {
          return [...${plural}.values()]
        },

        get(id‹: string›)‹: ${Noun} | undefined› {
          return ${plural}.get(id)
        },

        add(${field}‹: string›)‹: ${Noun}› {
          const clean = ${field}.trim()
          if (clean === "") throw new Error("Give the ${noun} a ${field}.")
          lastId += 1
          const ${noun} = { id: String(lastId), ${field}: clean, ${mark.field}: ${flag ? "false" : "0"}, createdAt: new Date().toISOString() }
          ${plural}.set(${noun}.id, ${noun})
          return ${noun}
        },

        ${flag ? `/** Turns \`${mark.field}\` on, and off again the next time. */` : `/** Adds one to \`${mark.field}\`. */`}
        ${mark.verb}(id‹: string›)‹: ${Noun} | undefined› {
          const ${noun} = ${plural}.get(id)
          if (${noun}) ${noun}.${mark.field} ${flag ? `= !${noun}.${mark.field}` : "+= 1"}
          return ${noun}
        },

        remove(id‹: string›)‹: boolean› {
          return ${plural}.delete(id)
        },
      }
    }
  `
  const [first, second] = [quoted(examples[0]), quoted(examples[1])]
  const tests = source`
    test("lists what was added, in that order", () => {
      const ${plural} = create${Plural}()
      ${plural}.add(${first})
      ${plural}.add(${second})
      assert.deepEqual(
        ${plural}.list().map((${noun}) => ${noun}.${field}),
        [${first}, ${second}],
      )
    })

    test("refuses an empty ${field}", () => {
      assert.throws(() => create${Plural}().add("  "), /a ${field}/)
    })

    test("${mark.verb}s one and leaves the others alone", () => {
      const ${plural} = create${Plural}()
      const one = ${plural}.add(${first})
      const other = ${plural}.add(${second})
      assert.equal(${plural}.${mark.verb}(one.id)?.${mark.field}, ${flag ? "true" : "1"})
      assert.equal(${plural}.get(other.id)?.${mark.field}, ${flag ? "false" : "0"})
      assert.equal(${plural}.${mark.verb}("nothing"), undefined)
    })

    test("removes each once", () => {
      const ${plural} = create${Plural}()
      const { id } = ${plural}.add(${first})
      assert.equal(${plural}.remove(id), true)
      assert.equal(${plural}.remove(id), false)
      assert.deepEqual(${plural}.list(), [])
    })

    test("goes on where a saved list ended", () => {
      const before = create${Plural}()
      before.add(${first})
      const after = create${Plural}(before.list())
      after.add(${second})
      assert.equal(new Set(after.list().map(({ id }) => id)).size, 2)
    })
  `
  return { module, exports: [`create${Plural}`], tests }
}

/** The same store as a class, around a dictionary. */
export function pythonStore({ noun, plural, field, examples, mark }: Collection): ModuleSource {
  const [Noun, Plural] = [capitalised(noun), capitalised(plural)]
  const flag = mark.kind === "flag"
  const module = source`
    """Keeps ${plural} in memory."""

    from dataclasses import dataclass, field
    from datetime import datetime, timezone


    def now():
        return datetime.now(timezone.utc).isoformat(timespec="seconds")


    @dataclass
    class ${Noun}:
        id: str
        ${field}: str
        ${mark.field}: ${flag ? "bool = False" : "int = 0"}
        created_at: str = field(default_factory=now)


    class ${Plural}:
        """A list of ${plural}. It begins with those that an earlier \`\`all()\`\` gave."""

        def __init__(self, saved=()):
            self._by_id = {${noun}.id: ${noun} for ${noun} in saved}
            self._last_id = max((int(id) for id in self._by_id), default=0)

        def all(self):
            return list(self._by_id.values())

        def get(self, id):
            return self._by_id.get(id)

        def add(self, ${field}):
            if not ${field}.strip():
                raise ValueError("Give the ${noun} a ${field}.")
            self._last_id += 1
            ${noun} = ${Noun}(str(self._last_id), ${field}.strip())
            self._by_id[${noun}.id] = ${noun}
            return ${noun}

        def ${mark.verb}(self, id):
            """${flag ? `Turns \`\`${mark.field}\`\` on, and off again the next time.` : `Adds one to \`\`${mark.field}\`\`.`}"""
            ${noun} = self._by_id.get(id)
            if ${noun}:
                ${noun}.${mark.field} ${flag ? `= not ${noun}.${mark.field}` : "+= 1"}
            return ${noun}

        def remove(self, id):
            return self._by_id.pop(id, None) is not None
  `
  const [first, second] = [quoted(examples[0]), quoted(examples[1])]
  const tests = source`
    def setUp(self):
        self.${plural} = ${Plural}()

    def test_lists_what_was_added_in_that_order(self):
        self.${plural}.add(${first})
        self.${plural}.add(${second})
        self.assertEqual([${noun}.${field} for ${noun} in self.${plural}.all()], [${first}, ${second}])

    def test_refuses_an_empty_${field}(self):
        with self.assertRaisesRegex(ValueError, "a ${field}"):
            self.${plural}.add("  ")

    def test_${mark.verb}s_one_and_leaves_the_others_alone(self):
        one = self.${plural}.add(${first})
        other = self.${plural}.add(${second})
        self.assertEqual(self.${plural}.${mark.verb}(one.id).${mark.field}, ${flag ? "True" : "1"})
        self.assertEqual(self.${plural}.get(other.id).${mark.field}, ${flag ? "False" : "0"})
        self.assertIsNone(self.${plural}.${mark.verb}("nothing"))

    def test_removes_each_once(self):
        ${noun} = self.${plural}.add(${first})
        self.assertTrue(self.${plural}.remove(${noun}.id))
        self.assertFalse(self.${plural}.remove(${noun}.id))
        self.assertEqual(self.${plural}.all(), [])

    def test_goes_on_where_a_saved_list_ended(self):
        self.${plural}.add(${first})
        after = ${Plural}(self.${plural}.all())
        after.add(${second})
        self.assertEqual(len({${noun}.id for ${noun} in after.all()}), 2)
  `
  return { module, exports: [Plural], tests }
}
