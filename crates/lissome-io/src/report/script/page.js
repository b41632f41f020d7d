// The page: camera, slider, choices, and one cursor through all plots.

/** An element with a class, words and attributes; words are text, never markup. */
function element(tag, name, words, attributes) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (words) made.textContent = words;
  for (const key of Object.keys(attributes || {})) made.setAttribute(key, attributes[key]);
  return made;
}

/** Red, green, blue and opacity (0 to 255) of a colour of the page's style. */
function styleColour(name, opacity) {
  const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const value = parseInt(text.slice(1), 16);
  return [value >> 16 & 255, value >> 8 & 255, value & 255, opacity === undefined ? 255 : Math.round(255 * opacity)];
}

function coloursOfPage() {
  const series = ['--c0', '--c1', '--c2', '--c3', '--c4', '--c5'].map((name) => styleColour(name));
  return {
    series, rod: styleColour('--rod'), body: styleColour('--solid'), mark: styleColour('--c1'), joint: styleColour('--ink'),
    disk: styleColour('--solid'), obstacle: styleColour('--stone'), ground: styleColour('--stone', 0.55),
    bore: styleColour('--stone', 0.3), cable: styleColour('--c4'), spring: styleColour('--c2'), load: styleColour('--load'),
    contact: styleColour('--c3'), ghost: styleColour('--soft', 0.5), unknown: styleColour('--ghost'),
  };
}

/** A round number of about `raw`: 1, 2 or 5 times a power of ten. */
function roundNumber(raw) {
  const decade = Math.pow(10, Math.floor(Math.log10(raw))), part = raw / decade;
  return decade * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

/** A length in words. */
function lengthWords(metres) {
  for (const [unit, size] of [['km', 1e3], ['m', 1], ['mm', 1e-3], ['µm', 1e-6], ['nm', 1e-9]])
    if (metres >= 0.999 * size) return +(metres / size).toPrecision(3) + ' ' + unit;
  return metres.toPrecision(2) + ' m';
}

/** Named places to look from: degrees about z, and above the horizon. */
const VIEWS = [['Oblique', -62, 22], ['Side', -90, 0], ['Front', 0, 0], ['Top', -90, 90]];
/** A wheel step and a key zoom by this, a key turns by so many degrees. */
const ZOOM = 1.15;
const TURN = 6;

function start() {
  const host = document.getElementById('stage'), numbers = document.getElementById('stage-numbers');
  if (!host || !numbers) return;
  const stage = decode(JSON.parse(numbers.textContent));
  const size = stage.size;
  const middle = stage.low.map((x, i) => 0.5 * (x + stage.high[i]));
  const camera = { azimuth: stage.view[0], elevation: stage.view[1], distance: 1, target: middle.slice() };
  const state = { group: 0, at: 0, playing: false, speed: 1 };
  const look = {
    field: -1, ghosts: true, loads: true, hidden: {}, colours: coloursOfPage(), sides: 16, thread: 0.004 * size, least: 0.0015 * size,
  };
  const group = () => stage.groups[state.group];
  const last = () => group().cycle ? group().count : group().count - 1;

  // What one sees.
  const frame = element('div', 'stage-view');
  const words = 'The robot in three dimensions. Drag turns it, arrow keys too; + and - zoom, space plays.';
  let canvas = element('canvas', 'stage-canvas', '', { tabindex: '0', role: 'img', 'aria-label': words });
  const over = element('canvas', 'stage-over', '', { 'aria-hidden': 'true' });
  const legend = element('div', 'stage-legend');
  frame.append(canvas, over, legend);
  host.append(frame);
  host.hidden = false;
  const painter = glPainter(canvas) || flatPainter(canvas);
  look.sides = Math.min(painter.sides, stage.rods.length > 200 ? 5 : stage.rods.length > 30 ? 8 : 16);
  canvas.dataset.painter = painter.name;
  const soup = new Soup();
  const arrowFrame = () => { const w = between(group(), state.at); return w.u < 0.5 ? w.a : w.b; };

  let wanted = false, stale = true;
  function redraw(changed) {
    stale = stale || changed;
    if (wanted) return;
    wanted = true;
    requestAnimationFrame(() => {
      wanted = false;
      if (stale) {
        build(stage, soup, group(), state.at, look);
        painter.load(soup);
      }
      stale = false;
      painter.paint(camera);
      drawOver();
      canvas.dataset.at = String(state.at);
      canvas.dataset.view = [camera.azimuth, camera.elevation, camera.distance].map((x) => x.toPrecision(6)).join(' ');
      canvas.dataset.painted = String(1 + Number(canvas.dataset.painted || 0));
    });
  }

  /** Far enough that everything is seen, whatever way one looks. */
  function fit() {
    const { right, up, towards } = axesOfCamera(camera), aspect = canvas.width / canvas.height;
    camera.target = middle.slice();
    let distance = 0;
    for (let k = 0; k < 8; k++) {
      const p = [0, 1, 2].map((i) => (k >> i & 1 ? stage.high[i] : stage.low[i]) - middle[i]);
      const needs = Math.max(Math.abs(dot(up, p)), Math.abs(dot(right, p)) / aspect) * FOCAL * 1.12;
      distance = Math.max(distance, needs + dot(towards, p));
    }
    camera.distance = Math.max(distance, 0.5 * size);
  }

  function resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(Math.round(frame.clientWidth * ratio), 1), height = Math.max(Math.round(frame.clientHeight * ratio), 1);
    // A canvas that is given a size is empty, even if it had that size.
    if (canvas.width === width && canvas.height === height) return;
    for (const one of [canvas, over]) {
      one.width = width;
      one.height = height;
    }
    redraw(false);
  }

  /** Axes, a bar for scale and the words of loads, over the picture. */
  function drawOver() {
    const pen = over.getContext('2d'), ratio = over.width / Math.max(frame.clientWidth, 1), w = over.width, h = over.height;
    const ink = (c) => `rgb(${c[0]},${c[1]},${c[2]})`, colours = look.colours;
    pen.clearRect(0, 0, w, h);
    pen.font = `${12 * ratio}px system-ui, sans-serif`;
    pen.lineWidth = 1.5 * ratio;
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    const { right, up } = axesOfCamera(camera), origin = [44 * ratio, h - 44 * ratio];
    ['x', 'y', 'z'].forEach((name, i) => {
      const x = right[i] * 26 * ratio, y = -up[i] * 26 * ratio;
      pen.strokeStyle = pen.fillStyle = ink(styleColour('--ink'));
      pen.beginPath();
      pen.moveTo(...origin);
      pen.lineTo(origin[0] + x, origin[1] + y);
      pen.stroke();
      pen.fillText(name, origin[0] + 1.35 * x, origin[1] + 1.35 * y);
    });
    const perMetre = 0.5 * h * FOCAL / camera.distance, length = roundNumber(0.14 * w / perMetre), end = w - 18 * ratio;
    pen.beginPath();
    pen.moveTo(end - length * perMetre, h - 18 * ratio);
    pen.lineTo(end, h - 18 * ratio);
    pen.stroke();
    pen.fillText(lengthWords(length), end - 0.5 * length * perMetre, h - 29 * ratio);
    if (!look.loads) return;
    const project = projector(camera, w, h), arrows = stage.arrows, at = arrowFrame(), taken = [];
    pen.fillStyle = ink(colours.load);
    for (let i = arrows.first[at]; i < arrows.first[at + 1]; i++) {
      const text = arrows.words[arrows.labels[i]], v = arrows.vectors.subarray(6 * i, 6 * i + 6);
      if (!text) continue;
      const [x, y] = project(v[0] + 1.12 * v[3], v[1] + 1.12 * v[4], v[2] + 1.12 * v[5]);
      const half = 0.5 * pen.measureText(text).width + 2 * ratio, high = 8 * ratio;
      const box = [Math.min(Math.max(x, half), w - half), Math.min(Math.max(y, high), h - high), half, high];
      // Words over words could not be read.
      if (taken.some((o) => Math.abs(o[0] - box[0]) < o[2] + half && Math.abs(o[1] - box[1]) < o[3] + high)) continue;
      taken.push(box);
      pen.fillText(text, box[0], box[1]);
    }
  }

  // Hands: one finger or button turns, two fingers or shift move, pinch and wheel zoom.
  const fingers = new Map();
  const zoom = (factor) => { camera.distance = Math.min(Math.max(camera.distance * factor, 0.01 * size), 100 * size); redraw(false); };
  const turn = (a, e) => {
    camera.azimuth += a;
    camera.elevation = Math.min(Math.max(camera.elevation + e, -90), 90);
    redraw(false);
  };
  const move = (dx, dy) => {
    const { right, up } = axesOfCamera(camera), per = camera.distance * 2 / FOCAL / Math.max(frame.clientHeight, 1);
    for (let i = 0; i < 3; i++) camera.target[i] += per * (dy * up[i] - dx * right[i]);
    redraw(false);
  };
  canvas.addEventListener('pointerdown', (event) => {
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    const old = fingers.get(event.pointerId);
    if (!old) return;
    const now = [event.clientX, event.clientY], dx = now[0] - old[0], dy = now[1] - old[1];
    if (fingers.size > 1) {
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
      const apart = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]);
      zoom(Math.max(apart(old), 1) / Math.max(apart(now), 1));
      move(0.5 * dx, 0.5 * dy);
    } else if (event.shiftKey || event.buttons & 6) move(dx, dy);
    else turn(-0.4 * dx, 0.4 * dy);
    fingers.set(event.pointerId, now);
  });
  for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, (event) => fingers.delete(event.pointerId));
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('wheel', (event) => {
    // The page scrolls over the view unless the view was chosen.
    if (document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? ZOOM : 1 / ZOOM);
  }, { passive: false });
  canvas.addEventListener('keydown', (event) => {
    const keys = {
      ArrowLeft: () => turn(-TURN, 0), ArrowRight: () => turn(TURN, 0), ArrowUp: () => turn(0, TURN), ArrowDown: () => turn(0, -TURN),
      '+': () => zoom(1 / ZOOM), '=': () => zoom(1 / ZOOM), '-': () => zoom(ZOOM), ' ': () => play(!state.playing),
      ',': () => go(Math.ceil(state.at) - 1), '.': () => go(Math.floor(state.at) + 1), Home: () => { fit(); redraw(false); },
    };
    if (!keys[event.key] || event.altKey || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    keys[event.key]();
  });

  // The bar: play, slider, where one is.
  const bar = element('div', 'stage-bar'), more = element('div', 'stage-bar stage-choices');
  host.append(bar, more);
  const button = element('button', 'stage-play', 'Play', { type: 'button' });
  const slider = element('input', '', '', { type: 'range', min: '0', step: 'any', 'aria-label': { time: 'Time', parameter: 'Parameter of the path' }[stage.axis] || 'Frame' });
  const where = element('output', 'stage-where');
  const moves = stage.groups.some((one) => one.count > 1);
  if (moves) bar.append(button, slider, where);
  const cursors = plotCursors(stage, (at) => { play(false); go(at); });
  function go(at) {
    const wrap = group().cycle ? ((at % last()) + last()) % last() : Math.min(Math.max(at, 0), last());
    state.at = stage.axis === 'choice' ? Math.round(wrap) : wrap;
    slider.max = String(last());
    slider.value = String(wrap);
    const { a, b, u } = between(group(), state.at), x = stage.x[a] + u * (stage.x[b] - stage.x[a]);
    where.textContent = {
      time: () => +x.toPrecision(5) + ' s', parameter: () => 'parameter ' + +x.toPrecision(4),
      choice: () => stage.labels[a] || '', phase: () => Math.round(360 * state.at / last()) + '°', still: () => '',
    }[stage.axis]();
    const plotted = state.group === 0 && (stage.axis === 'time' || stage.axis === 'parameter');
    cursors(plotted ? x : null, plotted ? stage.samples[a] + u * (stage.samples[b] - stage.samples[a]) : null);
    redraw(true);
  }
  let before = 0;
  function play(on) {
    if (on && !group().cycle && state.at >= last()) go(0);
    state.playing = on;
    button.textContent = on ? 'Pause' : 'Play';
    before = 0;
    if (on) requestAnimationFrame(tick);
  }
  let progress = 0;
  function tick(now) {
    if (!state.playing) return;
    const step = before ? Math.min(now - before, 200) / 1000 : 0;
    if (!before) progress = state.at;
    before = now;
    progress += step * state.speed * last() / Math.max(group().seconds, 0.1);
    if (!group().cycle && progress >= last()) {
      go(last());
      play(false);
      return;
    }
    if (group().cycle) progress %= last();
    go(progress);
    requestAnimationFrame(tick);
  }
  button.addEventListener('click', () => play(!state.playing));
  slider.addEventListener('input', () => { play(false); go(Number(slider.value)); });

  // Choices.
  function choice(label, names, chosen) {
    const box = element('label', '', label + ' '), select = element('select');
    names.forEach((name, i) => select.append(element('option', '', name, { value: String(i) })));
    select.addEventListener('change', () => chosen(Number(select.value)));
    box.append(select);
    more.append(box);
    return select;
  }
  function checkbox(label, on, changed) {
    const box = element('label'), input = element('input', '', '', { type: 'checkbox' });
    input.checked = on;
    input.addEventListener('change', () => { changed(input.checked); redraw(true); });
    box.append(input, ' ' + label);
    more.append(box);
  }
  if (stage.groups.length > 1)
    choice('Show', stage.groups.map((one) => one.name), (index) => {
      const playing = state.playing;
      play(false);
      state.group = index;
      go(0);
      play(playing);
    });
  function colourBy(index) {
    look.field = index - 1;
    legend.replaceChildren();
    const field = stage.fields[look.field];
    if (field) {
      const ramp = element('canvas', '', '', { width: '120', height: '10' }), pen = ramp.getContext('2d');
      for (let i = 0; i < 120; i++) {
        pen.fillStyle = `rgb(${scaleColour(i / 119).slice(0, 3)})`;
        pen.fillRect(i, 0, 1, 10);
      }
      legend.append(element('b', '', field.name), element('span', '', field.low), ramp, element('span', '', field.high));
    }
    redraw(true);
  }
  if (stage.fields.length) choice('Colour', ['plain'].concat(stage.fields.map((one) => one.name)), colourBy);
  if (stage.axis === 'time' || stage.axis === 'parameter')
    choice('Speed', ['1', '1/4', '1/20', '4'], (index) => { state.speed = [1, 0.25, 0.05, 4][index]; });
  if (stage.ghosts.length) checkbox('unstressed', true, (on) => { look.ghosts = on; });
  else if (moves) checkbox('other frames', true, (on) => { look.ghosts = on; });
  if (stage.arrows.kinds.length) checkbox('forces', true, (on) => { look.loads = on; });
  const stones = ['obstacle', 'ground', 'bore'];
  if (stage.solids.some((one) => stones.includes(one.kind)))
    checkbox('obstacles', true, (on) => stones.forEach((kind) => { look.hidden[kind] = !on; }));
  const views = element('span', 'stage-views');
  for (const [name, azimuth, elevation] of VIEWS) {
    const one = element('button', '', name, { type: 'button' });
    one.addEventListener('click', () => {
      camera.azimuth = azimuth;
      camera.elevation = elevation;
      fit();
      redraw(false);
    });
    views.append(one);
  }
  more.append(views);
  if (stage.note) more.append(element('span', 'stage-note', stage.note));

  new ResizeObserver(resize).observe(frame);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { look.colours = coloursOfPage(); redraw(true); });
  resize();
  fit();
  go(stage.axis === 'parameter' ? last() : 0);
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (stage.axis === 'phase' && !still) play(true);
}

/** Puts a cursor into every plot over the axis of the view, and a dot on every curve of samples; a click goes there. */
function plotCursors(stage, chosen) {
  const lines = [], dots = [], group = stage.groups[0];
  const add = (svg, tag, name) => {
    const made = document.createElementNS(svg.namespaceURI, tag);
    made.setAttribute('class', name);
    made.setAttribute('visibility', 'hidden');
    svg.append(made);
    return made;
  };
  for (const svg of document.querySelectorAll('svg[data-window]')) {
    const [low, high, left, right, top, bottom] = svg.dataset.window.split(' ').map(Number);
    if (svg.dataset.axis !== stage.axis) continue;
    const line = add(svg, 'line', 'cursor');
    line.setAttribute('y1', top);
    line.setAttribute('y2', bottom);
    lines.push({ line, place: (x) => left + (x - low) / (high - low) * (right - left) });
    const pick = (event) => {
      const box = svg.getBoundingClientRect(), px = (event.clientX - box.left) * svg.viewBox.baseVal.width / box.width;
      if (px < left - 4 || px > right + 4) return;
      const x = low + (px - left) / (right - left) * (high - low);
      let best = 0;
      for (let k = 0; k + 1 < group.count; k++) {
        const a = stage.x[group.from + k], b = stage.x[group.from + k + 1], u = b === a ? 0 : (x - a) / (b - a);
        const at = k + Math.min(Math.max(u, 0), 1);
        const missed = (t) => { const w = between(group, t); return Math.abs(stage.x[w.a] + w.u * (stage.x[w.b] - stage.x[w.a]) - x); };
        if (missed(at) < missed(best)) best = at;
      }
      chosen(best);
    };
    svg.addEventListener('pointerdown', pick);
    svg.addEventListener('pointermove', (event) => { if (event.buttons & 1) pick(event); });
  }
  for (const svg of document.querySelectorAll('svg[data-track]')) {
    const points = [...svg.querySelectorAll('circle.mark')].map((one) => [Number(one.getAttribute('cx')), Number(one.getAttribute('cy'))]);
    const dot = add(svg, 'circle', 'cursor-dot');
    dot.setAttribute('r', '6');
    dots.push({ dot, points });
  }
  return (x, sample) => {
    for (const { line, place } of lines) {
      line.setAttribute('visibility', x === null ? 'hidden' : 'visible');
      if (x === null) continue;
      line.setAttribute('x1', place(x));
      line.setAttribute('x2', place(x));
    }
    for (const { dot, points } of dots) {
      const low = Math.floor(sample), a = points[low], b = points[Math.min(low + 1, points.length - 1)];
      dot.setAttribute('visibility', sample === null || !a ? 'hidden' : 'visible');
      if (sample === null || !a) continue;
      dot.setAttribute('cx', a[0] + (sample - low) * (b[0] - a[0]));
      dot.setAttribute('cy', a[1] + (sample - low) * (b[1] - a[1]));
    }
  };
}

start();
