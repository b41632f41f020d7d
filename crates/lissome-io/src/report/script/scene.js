// The numbers of a page, and the triangles and lines of the robot at any place between two of its frames.

/** Bytes of a text in base64. */
function bytesOf(text) {
  const raw = atob(text || '');
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}
const floatsOf = (text) => new Float32Array(bytesOf(text).buffer);
const turnsOf = (text) => Float32Array.from(new Int16Array(bytesOf(text).buffer), (x) => x / 32767);

/** Decodes the packed arrays of the page in place. */
function decode(stage) {
  for (const rod of stage.rods) {
    rod.position = floatsOf(rod.position);
    rod.turn = turnsOf(rod.turn);
    rod.size = floatsOf(rod.size);
    rod.tube = rod.tube ? bytesOf(rod.tube) : null;
    rod.fields = rod.fields.map((text) => new Uint16Array(bytesOf(text).buffer));
  }
  for (const mesh of stage.meshes) {
    mesh.points = floatsOf(mesh.points);
    mesh.normals = Float32Array.from(new Int8Array(bytesOf(mesh.normals).buffer), (x) => x / 127);
    mesh.triangles = new Uint32Array(bytesOf(mesh.triangles).buffer);
  }
  for (const solid of stage.solids) {
    solid.position = floatsOf(solid.position);
    solid.turn = turnsOf(solid.turn);
  }
  for (const thread of stage.threads) thread.points = floatsOf(thread.points);
  stage.arrows.vectors = floatsOf(stage.arrows.vectors);
  stage.arrows.kinds = bytesOf(stage.arrows.kinds);
  stage.ghosts = stage.ghosts.map(floatsOf);
  return stage;
}

/** Where a place between frames lies: the two frames and the part of the way from one to the other. */
function between(group, at) {
  const low = Math.min(Math.max(Math.floor(at), 0), group.count - 1);
  const high = group.cycle ? (low + 1) % group.count : Math.min(low + 1, group.count - 1);
  return { a: group.from + low, b: group.from + high, u: Math.min(Math.max(at - low, 0), 1) };
}

/** Fills `out` with a blend of two rows of `data` of `width` numbers. */
function blend(data, width, { a, b, u }, out) {
  const from = a * width, to = b * width;
  for (let i = 0; i < width; i++) out[i] = data[from + i] + u * (data[to + i] - data[from + i]);
}

/** The same for unit quaternions (w, x, y, z), of which q and -q are the same turn. */
function blendTurns(data, count, { a, b, u }, out) {
  for (let k = 0; k < count; k++) {
    const p = 4 * (a * count + k), q = 4 * (b * count + k), o = 4 * k;
    let dot = 0;
    for (let i = 0; i < 4; i++) dot += data[p + i] * data[q + i];
    const sign = dot < 0 ? -1 : 1;
    let norm = 0;
    for (let i = 0; i < 4; i++) {
      out[o + i] = data[p + i] + u * (sign * data[q + i] - data[p + i]);
      norm += out[o + i] * out[o + i];
    }
    norm = Math.sqrt(norm) || 1;
    for (let i = 0; i < 4; i++) out[o + i] /= norm;
  }
}

/** Columns of the rotation matrix of the quaternion at `o`. */
function axesOf(q, o) {
  const w = q[o], x = q[o + 1], y = q[o + 2], z = q[o + 3];
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y),
    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y),
  ];
}

/** Triangles and lines that grow: what a painter draws. */
class Soup {
  constructor() {
    this.points = new Float32Array(3 << 12);
    this.normals = new Float32Array(3 << 12);
    this.colours = new Uint8Array(4 << 12);
    this.clear();
  }
  clear() {
    this.count = 0;
    this.solid = [];
    this.glass = [];
    this.lines = [];
  }
  vertex(x, y, z, nx, ny, nz, colour) {
    const i = this.count++;
    if (3 * i + 3 > this.points.length) {
      const wider = (old, kind) => { const out = new kind(2 * old.length); out.set(old); return out; };
      this.points = wider(this.points, Float32Array);
      this.normals = wider(this.normals, Float32Array);
      this.colours = wider(this.colours, Uint8Array);
    }
    this.points[3 * i] = x; this.points[3 * i + 1] = y; this.points[3 * i + 2] = z;
    this.normals[3 * i] = nx; this.normals[3 * i + 1] = ny; this.normals[3 * i + 2] = nz;
    for (let k = 0; k < 4; k++) this.colours[4 * i + k] = colour[k];
    return i;
  }
  triangle(a, b, c, seeThrough) {
    (seeThrough ? this.glass : this.solid).push(a, b, c);
  }
  /** A line strip in one colour. */
  strip(points, colour) {
    this.lines.push({ points, colour });
  }
}

/** Colours that rise in lightness, stay apart for colour-blind readers, and are seen on light and dark paper. */
const SCALE = [[61, 90, 214], [124, 77, 205], [184, 71, 165], [224, 87, 112], [243, 130, 69], [248, 186, 60]];
function scaleColour(part) {
  const at = Math.min(Math.max(part, 0), 1) * (SCALE.length - 1);
  const i = Math.min(Math.floor(at), SCALE.length - 2), u = at - i;
  return SCALE[i].map((c, k) => Math.round(c + u * (SCALE[i + 1][k] - c))).concat(255);
}

/** The robot between two frames as a soup. `look` has colours, the chosen field and how many sides a rod has. */
function build(stage, soup, group, at, look) {
  soup.clear();
  const where = between(group, at);
  for (const rod of stage.rods) buildRod(soup, rod, where, look);
  for (const solid of stage.solids) {
    if (look.hidden[solid.kind]) continue;
    buildSolid(soup, stage.meshes[solid.mesh], solid, where, look);
  }
  for (const thread of stage.threads) {
    const points = new Float32Array(3 * thread.count);
    blend(thread.points, points.length, where, points);
    if (thread.kind === 'spring') zigzag(soup, points, look);
    else tube(soup, points, look.thread, look.colours.cable, 5);
  }
  if (look.loads) buildArrows(soup, stage.arrows, where.u < 0.5 ? where.a : where.b, look);
  if (look.ghosts) buildGhosts(soup, stage, group, look);
}

function buildRod(soup, rod, where, look) {
  const n = rod.stations, position = new Float32Array(3 * n), turn = new Float32Array(4 * n), size = new Float32Array(2 * n);
  blend(rod.position, 3 * n, where, position);
  blendTurns(rod.turn, n, where, turn);
  const nearest = where.u < 0.5 ? where.a : where.b;
  if (rod.size.length > 2 * n) blend(rod.size, 2 * n, { a: nearest, b: nearest, u: 0 }, size);
  else size.set(rod.size);
  const field = rod.fields[look.field];
  const colourAt = (k) => {
    if (field) {
      const a = field[where.a * n + k], b = field[where.b * n + k];
      return a === 65535 || b === 65535 ? look.colours.unknown : scaleColour((a + where.u * (b - a)) / 65534);
    }
    return rod.tube ? look.colours.series[rod.tube[nearest * n + k] % look.colours.series.length] : look.colours.rod;
  };
  const corners = [];
  if (rod.flat) {
    for (const [y, z, ny, nz] of [[1, -1, 1, 0], [1, 1, 1, 0], [1, 1, 0, 1], [-1, 1, 0, 1], [-1, 1, -1, 0], [-1, -1, -1, 0], [-1, -1, 0, -1], [1, -1, 0, -1]])
      corners.push([y, z, ny, nz]);
  } else {
    for (let i = 0; i < look.sides; i++) {
      const angle = 2 * Math.PI * i / look.sides;
      corners.push([Math.cos(angle), Math.sin(angle), Math.cos(angle), Math.sin(angle)]);
    }
  }
  const m = corners.length, first = soup.count;
  for (let k = 0; k < n; k++) {
    const r = axesOf(turn, 4 * k), colour = colourAt(k);
    // Thin rods are drawn thick enough to be seen.
    const hy = Math.max(size[2 * k], look.least), hz = Math.max(size[2 * k + 1], look.least);
    for (const [y, z, ny, nz] of corners) {
      const a = y * hy, b = z * hz;
      soup.vertex(
        position[3 * k] + r[3] * a + r[6] * b, position[3 * k + 1] + r[4] * a + r[7] * b, position[3 * k + 2] + r[5] * a + r[8] * b,
        r[3] * ny + r[6] * nz, r[4] * ny + r[7] * nz, r[5] * ny + r[8] * nz, colour);
    }
  }
  for (let k = 0; k + 1 < n; k++) {
    // Of a strip every second pair of corners is an edge with two normals, not a side.
    for (let i = 0; i < m; i += rod.flat ? 2 : 1) {
      const a = first + k * m + i, b = first + k * m + (i + 1) % m;
      soup.triangle(a, b, b + m);
      soup.triangle(a, b + m, a + m);
    }
  }
  for (const [k, sign] of [[0, -1], [n - 1, 1]]) {
    const r = axesOf(turn, 4 * k), colour = colourAt(k), ring = [];
    const hy = Math.max(size[2 * k], look.least), hz = Math.max(size[2 * k + 1], look.least);
    for (const [y, z] of corners)
      ring.push(soup.vertex(
        position[3 * k] + r[3] * y * hy + r[6] * z * hz, position[3 * k + 1] + r[4] * y * hy + r[7] * z * hz,
        position[3 * k + 2] + r[5] * y * hy + r[8] * z * hz, sign * r[0], sign * r[1], sign * r[2], colour));
    for (let i = 1; i + 1 < m; i++) soup.triangle(ring[0], ring[sign > 0 ? i : i + 1], ring[sign > 0 ? i + 1 : i]);
  }
}

function buildSolid(soup, mesh, solid, where, look) {
  const position = new Float32Array(3), turn = new Float32Array(4);
  const place = solid.moves ? where : { a: 0, b: 0, u: 0 };
  blend(solid.position, 3, place, position);
  blendTurns(solid.turn, 1, place, turn);
  const r = axesOf(turn, 0), p = mesh.points, n = mesh.normals, first = soup.count;
  const colour = look.colours[solid.kind] || look.colours.body;
  const seeThrough = colour[3] < 255;
  for (let i = 0; i < p.length; i += 3) {
    const turned = (v) => [
      r[0] * v[i] + r[3] * v[i + 1] + r[6] * v[i + 2], r[1] * v[i] + r[4] * v[i + 1] + r[7] * v[i + 2],
      r[2] * v[i] + r[5] * v[i + 1] + r[8] * v[i + 2]];
    const [x, y, z] = turned(p), [nx, ny, nz] = turned(n);
    soup.vertex(position[0] + x, position[1] + y, position[2] + z, nx, ny, nz, colour);
  }
  const t = mesh.triangles;
  for (let i = 0; i < t.length; i += 3) soup.triangle(first + t[i], first + t[i + 1], first + t[i + 2], seeThrough);
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
function unit(a) {
  const norm = Math.sqrt(dot(a, a));
  return norm > 0 ? [a[0] / norm, a[1] / norm, a[2] / norm] : [0, 0, 0];
}
/** Two directions across a direction. */
function across(t) {
  const helper = Math.abs(t[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
  const u = unit(cross(helper, t));
  return [u, cross(t, u)];
}

/** A tube of `sides` around the points; `radii` is a number, or one for each point. */
function tube(soup, points, radii, colour, sides) {
  const n = points.length / 3, at = (k) => [points[3 * k], points[3 * k + 1], points[3 * k + 2]];
  const rings = [];
  for (let k = 0; k < n; k++) {
    const before = at(Math.max(k - 1, 0)), after = at(Math.min(k + 1, n - 1)), p = at(k);
    const [u, v] = across(unit([after[0] - before[0], after[1] - before[1], after[2] - before[2]]));
    const radius = typeof radii === 'number' ? radii : radii[k], ring = [];
    for (let i = 0; i < sides; i++) {
      const c = Math.cos(2 * Math.PI * i / sides), s = Math.sin(2 * Math.PI * i / sides);
      const d = [u[0] * c + v[0] * s, u[1] * c + v[1] * s, u[2] * c + v[2] * s];
      ring.push(soup.vertex(p[0] + radius * d[0], p[1] + radius * d[1], p[2] + radius * d[2], d[0], d[1], d[2], colour));
    }
    rings.push(ring);
  }
  for (let k = 0; k + 1 < n; k++) {
    for (let i = 0; i < sides; i++) {
      const j = (i + 1) % sides;
      soup.triangle(rings[k][i], rings[k][j], rings[k + 1][j]);
      soup.triangle(rings[k][i], rings[k + 1][j], rings[k + 1][i]);
    }
  }
}

/** A spring: straight, teeth to both sides, straight. */
function zigzag(soup, ends, look) {
  const a = [ends[0], ends[1], ends[2]], d = [ends[3] - a[0], ends[4] - a[1], ends[5] - a[2]];
  const [u] = across(unit(d)), teeth = 9, half = Math.min(3 * look.thread, 0.15 * Math.sqrt(dot(d, d)));
  const points = [];
  const push = (part, side) => { for (let i = 0; i < 3; i++) points.push(a[i] + part * d[i] + side * half * u[i]); };
  push(0, 0);
  push(0.15, 0);
  for (let k = 0; k < teeth; k++) push(0.15 + 0.7 * (k + 0.5) / teeth, k % 2 ? -1 : 1);
  push(0.85, 0);
  push(1, 0);
  tube(soup, Float32Array.from(points), 0.6 * look.thread, look.colours.spring, 5);
}

/** Shafts and heads; a moment has two heads. */
function buildArrows(soup, arrows, frame, look) {
  for (let i = arrows.first[frame]; i < arrows.first[frame + 1]; i++) {
    const v = arrows.vectors.subarray(6 * i, 6 * i + 6), kind = arrows.kinds[i];
    const length = Math.hypot(v[3], v[4], v[5]);
    if (!(length > 0)) continue;
    const colour = kind === 2 ? look.colours.contact : look.colours.load;
    const head = Math.min(0.4 * length, 5 * look.thread), part = (x) => [0, 1, 2].map((k) => v[k] + v[3 + k] * x / length);
    const shaft = length - head * (kind === 1 ? 1.7 : 1);
    tube(soup, Float32Array.from([...part(0), ...part(shaft)]), 0.7 * look.thread, colour, 6);
    for (const tip of kind === 1 ? [length, length - 0.8 * head] : [length])
      tube(soup, Float32Array.from([...part(tip - head), ...part(tip - head * 0.999), ...part(tip)]), [0, 0.38 * head, 0], colour, 8);
  }
}

/** Axes of other frames and ways of tips, or the unstressed rods. */
function buildGhosts(soup, stage, group, look) {
  for (const points of stage.ghosts) soup.strip(points, look.colours.ghost);
  if (group.count < 2) return;
  const shown = Math.min(group.count, group.cycle ? 4 : 14);
  for (const [index, rod] of stage.rods.entries()) {
    const n = 3 * rod.stations;
    for (let k = 0; k < shown; k++) {
      const frame = group.from + (group.cycle ? Math.round(k * group.count / shown) : Math.round(k * (group.count - 1) / (shown - 1)));
      soup.strip(rod.position.subarray(frame * n, frame * n + n), look.colours.ghost);
    }
    if (group.cycle || stage.axis === 'choice' || stage.rods.length > 40) continue;
    const trace = new Float32Array(3 * group.count);
    for (let k = 0; k < group.count; k++) {
      const tip = (group.from + k + 1) * n - 3;
      trace.set(rod.position.subarray(tip, tip + 3), 3 * k);
    }
    soup.strip(trace, look.colours.series[1 + index % 4]);
  }
}
