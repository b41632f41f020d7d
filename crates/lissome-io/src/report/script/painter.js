// Two painters of the same triangles: one with WebGL, one that fills them on a plain canvas, farthest first.

/** Half the angle of view, and the nearest thing seen, of the distance. */
const HALF_ANGLE = 14 * Math.PI / 180;
const FOCAL = 1 / Math.tan(HALF_ANGLE);

/** Axes of the reader: to the right, up, and towards the reader. */
function axesOfCamera(camera) {
  const a = camera.azimuth * Math.PI / 180, e = camera.elevation * Math.PI / 180;
  const towards = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
  const right = [-Math.sin(a), Math.cos(a), 0];
  return { right, up: cross(towards, right), towards };
}

/** From the world to the picture: x and y in pixels, and the depth before the reader. */
function projector(camera, width, height) {
  const { right, up, towards } = axesOfCamera(camera), c = camera.target, scale = 0.5 * height * FOCAL;
  return (x, y, z) => {
    const p = [x - c[0], y - c[1], z - c[2]], depth = camera.distance - dot(towards, p);
    const part = scale / Math.max(depth, 1e-3 * camera.distance);
    return [0.5 * width + part * dot(right, p), 0.5 * height - part * dot(up, p), depth];
  };
}

const VERTEX = `#version 300 es
in vec3 point; in vec3 normal; in vec4 colour;
uniform vec3 right, up, towards, target; uniform float distance, focal, aspect; uniform bool lit;
out vec4 shade; out vec3 side;
void main() {
  vec3 p = point - target;
  float depth = distance - dot(towards, p), near = 0.02 * distance, far = 60.0 * distance;
  gl_Position = vec4(focal / aspect * dot(right, p), focal * dot(up, p),
    (far + near) / (far - near) * depth - 2.0 * far * near / (far - near), depth);
  shade = colour;
  side = lit ? vec3(dot(right, normal), dot(up, normal), dot(towards, normal)) : vec3(0.0);
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 shade; in vec3 side; uniform bool lit; out vec4 colour;
void main() {
  vec3 n = normalize(side);
  if (!gl_FrontFacing) n = -n;
  float light = lit ? 0.6 + 0.42 * max(dot(n, vec3(-0.25, 0.4, 0.88)), 0.0) + 0.06 * n.y : 1.0;
  colour = vec4(shade.rgb * light * shade.a, shade.a);
}`;

/** A painter with WebGL 2; null where there is none. */
function glPainter(canvas) {
  const gl = canvas.getContext('webgl2', { antialias: true, preserveDrawingBuffer: true });
  if (!gl) return null;
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  ['point', 'normal', 'colour'].forEach((name, i) => gl.bindAttribLocation(program, i, name));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
  const uniform = {};
  for (const name of ['right', 'up', 'towards', 'target', 'distance', 'focal', 'aspect', 'lit'])
    uniform[name] = gl.getUniformLocation(program, name);
  const buffers = [gl.createBuffer(), gl.createBuffer(), gl.createBuffer(), gl.createBuffer()];
  let parts = null;

  /** Sends a soup to the card: its triangles, then its lines behind them. */
  function load(soup) {
    let count = soup.count;
    const strips = [];
    for (const strip of soup.lines) {
      const first = count, n = strip.points.length / 3;
      for (let i = 0; i < n; i++) {
        soup.vertex(strip.points[3 * i], strip.points[3 * i + 1], strip.points[3 * i + 2], 0, 0, 1, strip.colour);
      }
      count = soup.count;
      strips.push([first, n]);
    }
    const attributes = [[soup.points, 3, gl.FLOAT], [soup.normals, 3, gl.FLOAT], [soup.colours, 4, gl.UNSIGNED_BYTE]];
    attributes.forEach(([data, width, kind], i) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffers[i]);
      gl.bufferData(gl.ARRAY_BUFFER, data.subarray(0, width * count), gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, width, kind, kind === gl.UNSIGNED_BYTE, 0, 0);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers[3]);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, Uint32Array.from(soup.solid.concat(soup.glass)), gl.DYNAMIC_DRAW);
    parts = { solid: soup.solid.length, clear: soup.glass.length, strips };
  }

  function paint(camera) {
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (!parts) return;
    gl.useProgram(program);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const axes = axesOfCamera(camera);
    for (const name of ['right', 'up', 'towards']) gl.uniform3fv(uniform[name], axes[name]);
    gl.uniform3fv(uniform.target, camera.target);
    gl.uniform1f(uniform.distance, camera.distance);
    gl.uniform1f(uniform.focal, FOCAL);
    gl.uniform1f(uniform.aspect, canvas.width / canvas.height);
    gl.uniform1i(uniform.lit, 1);
    gl.drawElements(gl.TRIANGLES, parts.solid, gl.UNSIGNED_INT, 0);
    gl.uniform1i(uniform.lit, 0);
    for (const [first, n] of parts.strips) gl.drawArrays(gl.LINE_STRIP, first, n);
    // What one sees through does not hide what is behind it.
    gl.uniform1i(uniform.lit, 1);
    gl.depthMask(false);
    gl.drawElements(gl.TRIANGLES, parts.clear, gl.UNSIGNED_INT, 4 * parts.solid);
    gl.depthMask(true);
  }
  return { name: 'webgl', sides: 16, load, paint };
}

/** A painter that fills triangles one by one. */
function flatPainter(canvas) {
  const pen = canvas.getContext('2d');
  let soup = null;
  function load(next) { soup = next; }
  function paint(camera) {
    pen.clearRect(0, 0, canvas.width, canvas.height);
    if (!soup) return;
    const project = projector(camera, canvas.width, canvas.height), { towards, up, right } = axesOfCamera(camera);
    const seen = new Float32Array(3 * soup.count);
    for (let i = 0; i < soup.count; i++) seen.set(project(soup.points[3 * i], soup.points[3 * i + 1], soup.points[3 * i + 2]), 3 * i);
    const list = [];
    for (const [triangles, front] of [[soup.glass, false], [soup.solid, true]]) {
      for (let t = 0; t < triangles.length; t += 3) {
        const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
        const turn = (seen[b] - seen[a]) * (seen[c + 1] - seen[a + 1]) - (seen[b + 1] - seen[a + 1]) * (seen[c] - seen[a]);
        // On a picture whose y axis points down, what looks at the reader turns with the clock.
        if (front && turn >= 0) continue;
        list.push({ a, b, c, front, depth: seen[a + 2] + seen[b + 2] + seen[c + 2] });
      }
    }
    for (const strip of soup.lines) {
      pen.strokeStyle = `rgba(${strip.colour[0]},${strip.colour[1]},${strip.colour[2]},${strip.colour[3] / 255})`;
      pen.beginPath();
      for (let i = 0; i < strip.points.length; i += 3) {
        const [x, y] = project(strip.points[i], strip.points[i + 1], strip.points[i + 2]);
        if (i) pen.lineTo(x, y); else pen.moveTo(x, y);
      }
      pen.stroke();
    }
    // What one sees through is large and comes first: sorted by its middle it would cover what lies on it.
    list.sort((p, q) => p.front - q.front || q.depth - p.depth);
    for (const { a, b, c } of list) {
      const n = [soup.normals[a], soup.normals[a + 1], soup.normals[a + 2]];
      const side = [dot(right, n), dot(up, n), Math.abs(dot(towards, n))];
      const light = 0.6 + 0.42 * Math.max(-0.25 * side[0] + 0.4 * side[1] + 0.88 * side[2], 0) + 0.06 * side[1];
      const k = 4 * a / 3, colour = soup.colours;
      const fill = `rgba(${[0, 1, 2].map((i) => Math.round(Math.min(colour[k + i] * light, 255)))},${colour[k + 3] / 255})`;
      pen.fillStyle = fill;
      pen.beginPath();
      pen.moveTo(seen[a], seen[a + 1]);
      pen.lineTo(seen[b], seen[b + 1]);
      pen.lineTo(seen[c], seen[c + 1]);
      pen.closePath();
      pen.fill();
      if (colour[k + 3] === 255) {
        // Hides the seams between neighbours.
        pen.strokeStyle = fill;
        pen.stroke();
      }
    }
  }
  return { name: 'canvas', sides: 8, load, paint };
}
