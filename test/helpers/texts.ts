import fc from 'fast-check'

const unit = fc.oneof(
  fc.integer({ min: 0x20, max: 0x7e }),
  fc.integer({ min: 0, max: 0xff }),
  fc.integer({ min: 0xd800, max: 0xdfff }),
  fc.integer({ min: 0, max: 0xffff }),
)

/** Any text at all: ASCII, control characters, pairs of surrogates, lone ones, all of it mixed. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.array(unit).map(units => String.fromCharCode(...units)),
  fc.string({ unit: 'binary' }),
)
